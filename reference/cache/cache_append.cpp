// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/cache/cache_append.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void cache_append(const CacheAppend::Inputs& in, const CacheAppend::Params&, const CacheAppend::Outputs& out,
                  Context& context) {
  const auto fresh = in.fresh.as<double, 4>();                                                           // (B, G, S, D)
  const Sink<Num, 4> y(out.out, context);                                                            // (B, G, P + S, D)
  const Shape expected{fresh.extent[0], fresh.extent[1],
                       fresh.extent[2] + (in.past.empty() ? 0 : in.past.as<double, 4>().extent[2]), fresh.extent[3]};
  const Shape past = in.past.empty() ? expected : in.past.shape;
  PARITY_CHECK(out.out.shape == expected && past[0] == expected[0] && past[1] == expected[1] && past[3] == expected[3],
               schema, "cache_append: a tensor of shape {} appended to {} does not make {}", to_string(in.fresh.shape),
               to_string(past), to_string(out.out.shape));
  const auto copy = [&](const Span<double, 4>& part, int64_t first) {
    for (int64_t b = 0; b < part.extent[0]; ++b) {
      for (int64_t g = 0; g < part.extent[1]; ++g) {
        for (int64_t k = 0; k < part.extent[2]; ++k) {
          for (int64_t d = 0; d < part.extent[3]; ++d) y.set(Num(part(b, g, k, d)), b, g, first + k, d);
        }
      }
    }
  };
  if (!in.past.empty()) copy(in.past.as<double, 4>(), 0);
  copy(fresh, in.past.empty() ? 0 : in.past.as<double, 4>().extent[2]);
}

PARITY_REFERENCE(CacheAppend, cache_append)

}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/cache/cache_write.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void cache_write(const CacheWrite::Inputs& in, const CacheWrite::Params& params, const CacheWrite::Outputs& out,
                 Context& context) {
  const auto fresh = in.fresh.as<double, 4>();                                                           // (B, G, S, D)
  const Sink<Num, 4> y(out.out, context);                                                                // (B, G, K, D)
  const Shape& shape = out.out.shape;
  const int64_t last = params.filled + fresh.extent[2];
  PARITY_CHECK(params.filled >= 0 && last <= shape[2], schema,
               "cache_write: slots {} to {} are written to a buffer of {}; give the cache more slots", params.filled,
               last - 1, shape[2]);
  const bool fits = fresh.extent[0] == shape[0] && fresh.extent[1] == shape[1] && fresh.extent[3] == shape[3];
  PARITY_CHECK(fits && (in.past.empty() || in.past.shape == shape), schema,
               "cache_write: a tensor of shape {} does not fit into a buffer of shape {}", to_string(in.fresh.shape),
               to_string(shape));
  std::optional<Span<double, 4>> past;                                                                   // (B, G, K, D)
  if (!in.past.empty()) past = in.past.as<double, 4>();
  for (int64_t b = 0; b < shape[0]; ++b) {
    for (int64_t g = 0; g < shape[1]; ++g) {
      for (int64_t k = 0; k < shape[2]; ++k) {
        for (int64_t d = 0; d < shape[3]; ++d) {
          const double before = past ? (*past)(b, g, k, d) : 0.0;
          y.set(Num(k >= params.filled && k < last ? fresh(b, g, k - params.filled, d) : before), b, g, k, d);
        }
      }
    }
  }
}

PARITY_REFERENCE(CacheWrite, cache_write)

}  // namespace parity::reference

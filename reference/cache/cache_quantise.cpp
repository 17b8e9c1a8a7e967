// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/cache/cache_quantise.hpp"

#include "reference/cache/coded_cache.hpp"
#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void cache_quantise(const CacheQuantise::Inputs& in, const CacheQuantise::Params&, const CacheQuantise::Outputs& out,
                    Context& context) {
  const auto round = points_of<CacheQuantise>(context);
  const auto x = in.x.as<double, 4>();                                                                   // (B, G, S, D)
  const auto scale = scales_of_heads(in.scale, x.extent[1]);                                                      // (G)
  const Sink<Num, 4> y(out.codes, context);                                                              // (B, G, S, D)
  for (int64_t b = 0; b < x.extent[0]; ++b) {
    for (int64_t g = 0; g < x.extent[1]; ++g) {
      for (int64_t s = 0; s < x.extent[2]; ++s) {
        for (int64_t d = 0; d < x.extent[3]; ++d)
          y.set(code_of(round.quotient(Num(x(b, g, s, d)) / Num(scale(g)))), b, g, s, d);
      }
    }
  }
}

PARITY_REFERENCE(CacheQuantise, cache_quantise)

}  // namespace parity::reference

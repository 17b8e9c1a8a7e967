// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/cache/cache_dequantise.hpp"

#include "reference/cache/coded_cache.hpp"
#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void cache_dequantise(const CacheDequantise::Inputs& in, const CacheDequantise::Params&,
                      const CacheDequantise::Outputs& out, Context& context) {
  const auto round = points_of<CacheDequantise>(context);
  const auto codes = in.codes.as<double, 4>();                                                           // (B, G, K, D)
  const auto scale = scales_of_heads(in.scale, codes.extent[1]);                                                  // (G)
  const Sink<Num, 4> y(out.out, context);                                                                // (B, G, K, D)
  for (int64_t b = 0; b < codes.extent[0]; ++b) {
    for (int64_t g = 0; g < codes.extent[1]; ++g) {
      for (int64_t k = 0; k < codes.extent[2]; ++k) {
        for (int64_t d = 0; d < codes.extent[3]; ++d)
          y.set(round.out(round.product(Num(codes(b, g, k, d)) * Num(scale(g)))), b, g, k, d);
      }
    }
  }
}

PARITY_REFERENCE(CacheDequantise, cache_dequantise)

}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/lightning/lightning_mask.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void lightning_mask(const LightningMask::Inputs& in, const LightningMask::Params& params,
                    const LightningMask::Outputs& out, Context& context) {
  const auto v = in.v.as<double, 4>();                                                                   // (B, A, S, D)
  const auto mask = in.mask.as<int64_t, 2>();                                                                  // (B, K)
  const Sink<Num, 4> y(out.out, context);                                                                // (B, A, S, D)
  const int64_t before = mask.extent[1] - v.extent[2];
  PARITY_CHECK(before >= 0, schema, "the mask has {} columns, fewer than the {} tokens of this call", mask.extent[1],
               v.extent[2]);
  for (int64_t b = 0; b < v.extent[0]; ++b) {
    for (int64_t a = 0; a < v.extent[1]; ++a) {
      for (int64_t s = 0; s < v.extent[2]; ++s) {
        const bool real = mask(b, before + s) != 0;
        for (int64_t d = 0; d < v.extent[3]; ++d) {
          const double x = v(b, a, s, d);
          y.set(Num(real ? x : params.multiplies ? 0.0 * x : 0.0), b, a, s, d);
        }
      }
    }
  }
}

PARITY_REFERENCE(LightningMask, lightning_mask)

}  // namespace parity::reference

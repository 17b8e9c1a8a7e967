// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/lightning/lightning_mask.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void lightning_mask(const LightningMask::Inputs& in, const LightningMask::Params&, const LightningMask::Outputs& out,
                    Context& context) {
  const auto v = in.v.as<double, 4>();                                                                   // (B, A, S, D)
  const auto mask = in.mask.as<int64_t, 2>();                                                                  // (B, S)
  const Sink<Num, 4> y(out.out, context);                                                                // (B, A, S, D)
  for (int64_t b = 0; b < v.extent[0]; ++b) {
    for (int64_t a = 0; a < v.extent[1]; ++a) {
      for (int64_t s = 0; s < v.extent[2]; ++s) {
        for (int64_t d = 0; d < v.extent[3]; ++d) y.set(Num(mask(b, s) != 0 ? v(b, a, s, d) : 0.0), b, a, s, d);
      }
    }
  }
}

PARITY_REFERENCE(LightningMask, lightning_mask)

}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/lightning/lightning_split.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void lightning_split(const LightningSplit::Inputs& in, const LightningSplit::Params&,
                     const LightningSplit::Outputs& out, Context& context) {
  const auto qkv = in.qkv.as<double, 3>();                                                                // (B, S, 3AD)
  const auto take = [&](const TensorView& output, int64_t part) {
    const Sink<Num, 4> y(output, context);                                                               // (B, A, S, D)
    const auto extent = output.as<double, 4>().extent;
    for (int64_t b = 0; b < extent[0]; ++b) {
      for_each_row(extent[1], extent[2] * extent[3], [&](int64_t a) {
        for (int64_t s = 0; s < extent[2]; ++s) {
          for (int64_t d = 0; d < extent[3]; ++d) y.set(Num(qkv(b, s, (3 * a + part) * extent[3] + d)), b, a, s, d);
        }
      });
    }
  };
  take(out.q, 0);
  take(out.k, 1);
  take(out.v, 2);
}

PARITY_REFERENCE(LightningSplit, lightning_split)

}  // namespace parity::reference

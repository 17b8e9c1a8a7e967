// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/vision/vision_rope.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void vision_rope(const VisionRope::Inputs& in, const VisionRope::Params&, const VisionRope::Outputs& out,
                 Context& context) {
  const auto round = points_of<VisionRope>(context);
  const auto x = in.x.as<double, 3>();                                                                      // (P, A, D)
  const auto cos = in.cos.as<double, 2>();                                                                     // (P, R)
  const auto sin = in.sin.as<double, 2>();                                                                     // (P, R)
  const Sink<Num, 3> y(out.out, context);                                                                   // (P, A, D)
  const int64_t width = cos.extent[1];
  const auto rotate = [&](int64_t p, int64_t a, int64_t d) {
    const int64_t half = width / 2;
    const double partner = d < half ? -x(p, a, d + half) : x(p, a, d - half);
    const Num direct = round.direct(Num(x(p, a, d)) * Num(cos(p, d)));
    const Num crossed = round.crossed(Num(partner) * Num(sin(p, d)));
    return round.out(direct + crossed);
  };
  for (int64_t p = 0; p < x.extent[0]; ++p) {
    for (int64_t a = 0; a < x.extent[1]; ++a) {
      for (int64_t d = 0; d < x.extent[2]; ++d) y.set(d < width ? rotate(p, a, d) : Num(x(p, a, d)), p, a, d);
    }
  }
}

PARITY_REFERENCE(VisionRope, vision_rope)

}  // namespace parity::reference

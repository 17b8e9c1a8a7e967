// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/rope/partial_rope.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void partial_rope(const PartialRope::Inputs& in, const PartialRope::Params&, const PartialRope::Outputs& out,
                  Context& context) {
  const auto round = points_of<PartialRope>(context);
  const auto x = in.x.as<double, 4>();                                                                   // (B, A, S, D)
  const auto cos = in.cos.as<double, 3>();                                                                  // (B, S, R)
  const auto sin = in.sin.as<double, 3>();                                                                  // (B, S, R)
  const Sink<Num, 4> y(out.out, context);                                                                // (B, A, S, D)
  const int64_t width = cos.extent[2];
  const auto rotate = [&](int64_t b, int64_t a, int64_t s, int64_t d) {
    const int64_t half = width / 2;
    const double partner = d < half ? -x(b, a, s, d + half) : x(b, a, s, d - half);
    const Num direct = round.direct(Num(x(b, a, s, d)) * Num(cos(b, s, d)));
    const Num crossed = round.crossed(Num(partner) * Num(sin(b, s, d)));
    return round.out(direct + crossed);
  };
  for (int64_t b = 0; b < x.extent[0]; ++b) {
    for_each_row(x.extent[1], x.extent[2] * x.extent[3], [&](int64_t a) {
      for (int64_t s = 0; s < x.extent[2]; ++s) {
        for (int64_t d = 0; d < x.extent[3]; ++d)
          y.set(d < width ? rotate(b, a, s, d) : Num(x(b, a, s, d)), b, a, s, d);
      }
    });
  }
}

PARITY_REFERENCE(PartialRope, partial_rope)

}  // namespace parity::reference

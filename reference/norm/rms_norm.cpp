// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/norm/rms_norm.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void rms_norm(const RmsNorm::Inputs& in, const RmsNorm::Params& params, const RmsNorm::Outputs& out, Context& context) {
  const auto round = points_of<RmsNorm>(context);
  const auto x = in.x.as<double, 2>();                                                                         // (N, H)
  const auto weight = in.weight.as<double, 1>();                                                                  // (H)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, H)
  const int64_t width = x.extent[1];
  for_each_row(x.extent[0], width, [&](int64_t n) {
    Sum<Num> squares(round.mean);
    for (int64_t h = 0; h < width; ++h) squares.add(round.square(Num(x(n, h)) * Num(x(n, h))));
    const Num mean = round.mean(squares.value() / Num(static_cast<double>(width)));
    const Num inverse =
        round.inverse(Num(1.0) / square_root(round.shifted(mean + constant<Num>(params.eps, round.constant))));
    for (int64_t h = 0; h < width; ++h) {
      const Num normalised = round.normalised(Num(x(n, h)) * inverse);
      y.set(round.out(normalised * round.gain(Num(params.gain_offset + weight(h)))), n, h);
    }
  });
}

PARITY_REFERENCE(RmsNorm, rms_norm)

}  // namespace parity::reference

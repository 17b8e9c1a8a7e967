// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/norm/layer_norm.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void layer_norm(const LayerNorm::Inputs& in, const LayerNorm::Params& params, const LayerNorm::Outputs& out,
                Context& context) {
  const auto round = points_of<LayerNorm>(context);
  const auto x = in.x.as<double, 2>();                                                                         // (N, H)
  const auto weight = in.weight.as<double, 1>();                                                                  // (H)
  const auto bias = in.bias.as<double, 1>();                                                                      // (H)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, H)
  const int64_t width = x.extent[1];
  const Num count(static_cast<double>(width));
  for (int64_t n = 0; n < x.extent[0]; ++n) {
    Sum<Num> total(round.mean);
    for (int64_t h = 0; h < width; ++h) total.add(Num(x(n, h)));
    const Num mean = round.mean(total.value() / count);
    Sum<Num> squares(round.variance);
    for (int64_t h = 0; h < width; ++h) {
      const Num deviation = round.deviation(Num(x(n, h)) - mean);
      squares.add(deviation * deviation);
    }
    const Num variance = round.variance(squares.value() / count);
    const Num inverse = round.inverse(Num(1.0) / square_root(round.shifted(variance + Num(params.eps))));
    const Num offset = round.offset(-mean * inverse);
    for (int64_t h = 0; h < width; ++h) {
      const Num normalised = round.normalised(round.scaled(Num(x(n, h)) * inverse) + offset);
      y.set(round.out(round.gained(normalised * Num(weight(h))) + Num(bias(h))), n, h);
    }
  }
}

PARITY_REFERENCE(LayerNorm, layer_norm)

}  // namespace parity::reference

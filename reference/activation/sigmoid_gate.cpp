// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/activation/sigmoid_gate.hpp"

#include "reference/activation/rounded_logistic.hpp"
#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void sigmoid_gate(const SigmoidGate::Inputs& in, const SigmoidGate::Params&, const SigmoidGate::Outputs& out,
                  Context& context) {
  const auto round = points_of<SigmoidGate>(context);
  const auto gate = in.gate.as<double, 2>();                                                                   // (N, H)
  const auto x = in.x.as<double, 2>();                                                                         // (N, H)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, H)
  for_each_row(x.extent[0], x.extent[1], [&](int64_t n) {
    for (int64_t h = 0; h < x.extent[1]; ++h)
      y.set(round.out(round.sigmoid(rounded_logistic(Num(gate(n, h)), round)) * Num(x(n, h))), n, h);
  });
}

PARITY_REFERENCE(SigmoidGate, sigmoid_gate)

}  // namespace parity::reference

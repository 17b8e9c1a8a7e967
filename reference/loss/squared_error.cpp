// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/loss/squared_error.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void squared_error(const SquaredError::Inputs& in, const SquaredError::Params&, const SquaredError::Outputs& out,
                   Context& context) {
  const auto round = points_of<SquaredError>(context);
  const auto logits = in.logits.as<double, 2>();                                                               // (B, L)
  const auto labels = in.labels.as<double, 2>();                                                               // (B, L)
  Sum<Num> total(round.total);
  for (int64_t b = 0; b < logits.extent[0]; ++b) {
    for (int64_t l = 0; l < logits.extent[1]; ++l) {
      const Num difference = round.difference(Num(logits(b, l)) + Num(-labels(b, l)));
      total.add(round.square(difference * difference));
    }
  }
  const Sink<Num, 0> y(out.loss, context);                                                                         // ()
  y.set(round.mean(total.value() / Num(static_cast<double>(logits.extent[0] * logits.extent[1]))));
}

PARITY_REFERENCE(SquaredError, squared_error)

}  // namespace parity::reference

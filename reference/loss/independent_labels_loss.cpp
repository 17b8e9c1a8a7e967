// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/loss/independent_labels_loss.hpp"

#include <algorithm>
#include <cmath>

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void independent_labels_loss(const IndependentLabelsLoss::Inputs& in, const IndependentLabelsLoss::Params&,
                             const IndependentLabelsLoss::Outputs& out, Context& context) {
  const auto round = points_of<IndependentLabelsLoss>(context);
  const auto logits = in.logits.as<double, 2>();                                                               // (B, L)
  const auto labels = in.labels.as<double, 2>();                                                               // (B, L)
  Sum<Num> total(round.total);
  for (int64_t b = 0; b < logits.extent[0]; ++b) {
    for (int64_t l = 0; l < logits.extent[1]; ++l) {
      const double x = logits(b, l);
      const Num small = round.exponential(exponential(Num(-std::abs(x))));
      const Num likely = round.sigmoid(Num(std::min(x, 0.0)) + -round.logarithm(logarithm_of_one_plus(small)));
      const Num unlabelled = round.product(round.complement(Num(1.0) + Num(-labels(b, l))) * Num(x));
      total.add(round.term(unlabelled + -likely));
    }
  }
  const Sink<Num, 0> y(out.loss, context);                                                                         // ()
  y.set(round.mean(total.value() / Num(static_cast<double>(logits.extent[0] * logits.extent[1]))));
}

PARITY_REFERENCE(IndependentLabelsLoss, independent_labels_loss)

}  // namespace parity::reference

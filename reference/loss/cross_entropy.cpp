// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/loss/cross_entropy.hpp"

#include "reference/loss/label_loss.hpp"
#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void cross_entropy(const CrossEntropy::Inputs& in, const CrossEntropy::Params& params, const CrossEntropy::Outputs& out,
                   Context& context) {
  const auto round = points_of<CrossEntropy>(context);
  const auto logits = in.logits.as<double, 3>();                                                            // (B, S, V)
  const auto labels = in.labels.as<int64_t, 2>();                                                              // (B, S)
  PARITY_CHECK(params.label_offset >= 0, usage, "label_offset is {}; 0 or more is needed", params.label_offset);
  Sum<Num> total(round.mean);
  double counted = 0.0;
  for (int64_t b = 0; b < logits.extent[0]; ++b) {
    for (int64_t s = 0; s + params.label_offset < logits.extent[1]; ++s) {
      const int64_t label = labels(b, s + params.label_offset);
      if (label == kIgnoredLabel) continue;
      total.add(row_loss<Num>(logits, b, s, label, round));
      counted += 1.0;
    }
  }
  if (!out.sum.empty()) Sink<Num, 0>(out.sum, context).set(total.value());
  Num loss = round.mean(total.value() / Num(params.num_items > 0.0 ? params.num_items : counted));
  if (!in.aux_loss.empty()) {
    const Num aux(in.aux_loss.value(0));
    loss = round.out(loss + round.out(aux * constant<Num>(params.aux_coefficient, round.constant)));
  }
  const Sink<Num, 0> y(out.loss, context);                                                                         // ()
  y.set(loss);
}

PARITY_REFERENCE(CrossEntropy, cross_entropy)

}  // namespace parity::reference

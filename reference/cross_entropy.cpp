// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/cross_entropy.hpp"

#include <limits>

#include "reference/support.hpp"

namespace parity::reference {

constexpr int64_t kIgnored = -100;

/// log sum_v exp(logits[v]) - logits[label] of one row.
template <class Num>
Num row_loss(const Span<double, 3>& logits, int64_t b, int64_t s, int64_t label, const CrossEntropy::Points& round) {
  const int64_t vocabulary = logits.extent[2];
  double largest = -std::numeric_limits<double>::infinity();
  for (int64_t v = 0; v < vocabulary; ++v) largest = std::max(largest, logits(b, s, v));
  Sum<Num> total(round.total);
  for (int64_t v = 0; v < vocabulary; ++v) total.add(round.exponential(exponential(Num(logits(b, s, v) - largest))));
  const Num log_sum = round.logarithm(logarithm(total.value()));
  return round.term(log_sum + Num(largest - logits(b, s, label)));
}

template <class Num>
void cross_entropy(const CrossEntropy::Inputs& in, const CrossEntropy::Params& params, const CrossEntropy::Outputs& out,
                   Context& context) {
  const auto round = points_of<CrossEntropy>(context);
  const auto logits = in.logits.as<double, 3>();                                                            // (B, S, V)
  const auto labels = in.labels.as<int64_t, 2>();                                                              // (B, S)
  Sum<Num> total(round.mean);
  double counted = 0.0;
  for (int64_t b = 0; b < logits.extent[0]; ++b) {
    for (int64_t s = 0; s + 1 < logits.extent[1]; ++s) {
      const int64_t label = labels(b, s + 1);
      if (label == kIgnored) continue;
      PARITY_CHECK(label >= 0 && label < logits.extent[2], schema, "label {} is outside the vocabulary of {}", label,
                   logits.extent[2]);
      total.add(row_loss<Num>(logits, b, s, label, round));
      counted += 1.0;
    }
  }
  Num loss = round.mean(total.value() / Num(counted));
  if (!in.aux_loss.empty()) {
    const Num aux(in.aux_loss.value(0));
    loss = round.out(loss + round.out(aux * constant<Num>(params.aux_coefficient, round.constant)));
  }
  const Sink<Num, 0> y(out.loss, context);                                                                         // ()
  y.set(loss);
}

PARITY_REFERENCE(CrossEntropy, cross_entropy)

}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Cross-entropy of one row of logits.
#pragma once

#include <algorithm>
#include <limits>

#include "core/rounding.hpp"
#include "core/tensor.hpp"

namespace parity::reference {

constexpr int64_t kIgnoredLabel = -100;

/// log sum_v exp(logits[v]) - logits[label] for row (b, s). Throws Error{schema} for a label outside of [0, V).
template <class Num, class Points>
Num row_loss(const Span<double, 3>& logits, int64_t b, int64_t s, int64_t label, const Points& round) {
  const int64_t vocabulary = logits.extent[2];
  PARITY_CHECK(label >= 0 && label < vocabulary, schema, "label {} is outside the vocabulary of {}", label, vocabulary);
  double largest = -std::numeric_limits<double>::infinity();
  for (int64_t v = 0; v < vocabulary; ++v) largest = std::max(largest, logits(b, s, v));
  Sum<Num> total(round.total);
  for (int64_t v = 0; v < vocabulary; ++v) {
    const Num below = round.exponential(Num(logits(b, s, v) - largest));  // also a binary32 operation
    total.add(round.exponential(exponential(below)));
  }
  const Num log_sum = round.logarithm(logarithm(total.value()));
  return round.term(log_sum + Num(largest - logits(b, s, label)));
}

}  // namespace parity::reference

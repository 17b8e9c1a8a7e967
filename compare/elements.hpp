// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Judges a tap of continuous values: masks, tolerance, worst slices, bias, bit-equal share, vacuity.
#pragma once

#include "compare/record.hpp"
#include "compare/tolerance.hpp"

namespace parity::compare {

/// What the caller knows beyond the values.
struct ElementRules {
  bool claims_rounding = false;  // the candidate says that it rounds where the oracle does: unexplained bits count
  bool check_power = true;       // off where the inherited drift decides the tolerance
  std::vector<bool> tainted;     // per element: an undecided flip upstream may have changed it; empty: none
  bool bit_by_bit = false;       // every operation is prescribed: other bits than the oracle-rounded reference's fail
  bool zero_signs = true;        // bit by bit: -0 is not 0
  double most_noise = 0.0;       // a span of several nodes: limit of Noise::ratio; 0: not judged
  bool no_farther = false;       // fewer roundings cannot put it farther from the exact values than the oracle is
  int64_t sharing = 0;           // neighbours in a row that have inner roundings in common; 0: the whole row
  bool logits = false;           // rows are distributions over words
  AxisSizes sizes{};             // of the node: they take "AD" apart into heads and channels
  bool systematic = true;        // judge mean deviations and shares of bits too
  bool shares_rounding = true;   // a row's elements are sums over terms in common: one rounding of those moves them all
};

/// A mean deviation of more standard errors is not by chance; more unexplained elements than one in this many are no near-ties.
constexpr double kSuspiciousBias = 8.0;
constexpr int64_t kUnexplainedOneIn = 100;

/// Fills status, counts, worst, terms, slices, bias and bit_equal of `record` (tap, axes and shape are set).
void judge_elements(const Values& values, const ElementRules& rules, Record& record);

}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Judges a tap of continuous values: masks, tolerance, worst slices, bias, bit-equal share, vacuity.
#pragma once

#include "compare/judging/record.hpp"
#include "compare/judging/tolerance.hpp"

namespace parity::compare {

/// Rules for judging a tap that do not follow from its values.
struct ElementRules {
  bool claims_rounding = false;  // the candidate claims the oracle's rounding points: unexplained bits count
  bool check_power = true;       // false if the inherited drift decides the tolerance
  std::vector<bool> tainted;     // per element: an undecided flip upstream may have changed it; empty: none
  bool bit_by_bit = false;       // every operation is prescribed: bits must equal the oracle-rounded reference's
  bool zero_signs = true;        // in bit_by_bit mode, -0 differs from 0
  double most_noise = 0.0;       // limit of Noise::ratio for a span of several nodes; 0: not judged
  bool no_farther = false;       // fail if the tap is farther from the exact values than the oracle is
  int64_t sharing = 0;           // number of neighbours in a row with common inner roundings; 0: the whole row
  bool logits = false;           // rows are logits of distributions over words
  AxisSizes sizes{};             // the node's; they split "AD" into heads and channels
  bool systematic = true;        // also judge mean deviations and shares of bits
  bool shares_rounding = true;   // elements of a row sum common terms: one rounding of a term moves all of them
};

/// Mean deviations of more standard errors are not random. Near-ties explain at most one element in kUnexplainedOneIn.
constexpr double kSuspiciousBias = 8.0;
constexpr int64_t kUnexplainedOneIn = 100;

/// Returns the share of its tolerance that element i uses. Masks come first: if the exact or the oracle-rounded value
/// is NaN or infinite, the tolerance does not apply.
[[nodiscard]] double budget_of(const Values& values, const Tolerance& tolerance, int64_t i);

/// Fills status, counts, worst, terms, slices, bias and bit_equal of `record`. Its tap, axes and shape must be set.
void judge_elements(const Values& values, const ElementRules& rules, Record& record);

}  // namespace parity::compare

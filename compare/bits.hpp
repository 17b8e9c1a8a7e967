// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Bits against the oracle-rounded reference.
#pragma once

#include "compare/record.hpp"
#include "compare/tolerance.hpp"

namespace parity::compare {

/// What the oracle-rounded reference stores in element i.
[[nodiscard]] double expected_bits(const Values& values, int64_t i);
/// Whether the candidate has that value; every NaN is the same, 0 and -0 are.
[[nodiscard]] bool equals_rounded(const Values& values, int64_t i);
/// Equal elements, and unequal ones that a near-tie explains; `largest` is the tap's largest magnitude.
[[nodiscard]] BitEqual count_bits(const Values& values, double largest);
/// Of the elements of a tap that may have other bits for any reason.
constexpr int64_t kElsewhereOneIn = 8;
/// Noise flips a rounding inside a component now and then, and one flip reaches no more than its row. Where an eighth of
/// the elements, in many rows, have other bits, they were rounded elsewhere, near-ties or not.
[[nodiscard]] bool rounded_elsewhere(const Values& values, const BitEqual& bits);
/// Binary32 sums of what was rounded to T inside show a flip in there as a whole row of other bits: one in
/// sixteen, or two of few, is a flip and not another place of rounding.
[[nodiscard]] bool few_rows_flipped(const Values& values, double largest);
/// A frequency that another library's power puts a binary32 ulp aside moves its column of a table, the farther the later the
/// position: where no more columns than one in sixteen, or two, have unexplained bits, all of them within the noise.
[[nodiscard]] bool few_columns_moved(const Values& values, double largest);

}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Compares bits with the oracle-rounded reference.
#pragma once

#include "compare/judging/record.hpp"
#include "compare/judging/tolerance.hpp"

namespace parity::compare {

/// Returns the value that the oracle-rounded reference stores in element i.
[[nodiscard]] double expected_bits(const Values& values, int64_t i);
/// Whether the candidate's element i equals the oracle-rounded reference. Any NaN equals any NaN, and 0 equals -0.
[[nodiscard]] bool equals_rounded(const Values& values, int64_t i);
/// Counts elements with the expected bits, and others that a near-tie explains. `largest`: the tap's largest magnitude.
[[nodiscard]] BitEqual count_bits(const Values& values, double largest);
/// If one element in this many has other bits, near-ties do not explain the tap (see rounded_elsewhere).
constexpr int64_t kElsewhereOneIn = 8;
/// Whether the candidate rounded at other points than the oracle: an eighth of the elements, in many rows, have other
/// bits. Near-ties do not cause this. Noise rarely flips an inner rounding, and one flip reaches only one row.
[[nodiscard]] bool rounded_elsewhere(const Values& values, const BitEqual& bits);
/// Whether the unequal bits of binary32 sums come from flipped inner roundings to T. Each such flip changes a whole
/// row, so one row in sixteen, or two of few rows, may differ. More rows mean another rounding point.
[[nodiscard]] bool few_rows_flipped(const Values& values, double largest);
/// Whether at most one column in sixteen, or two, of a rotary table has unexplained bits, all within the noise. Another
/// library's power may be a binary32 ulp off in a frequency, which moves its column, more at later positions.
[[nodiscard]] bool few_columns_moved(const Values& values, double largest);

}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Root mean square of a tap's deviation relative to its roundings. Noise averages out, the effect of a bug does not.
#pragma once

#include <vector>

#include "compare/judging/record.hpp"
#include "compare/judging/tolerance.hpp"

namespace parity::compare {

/// Computes the noise over the finite elements. An element in `tainted` (empty: none) only counts for the median row.
[[nodiscard]] Noise noise_of(const Values& values, const std::vector<bool>& tainted);

/// Returns how many independent samples the oracle's roundings amount to: (sum e_b)^2 / sum e_b^2, where e_b is the sum
/// of |rounded - exact|^2 over `sharing` neighbours. The relative variance of sum e_b is at most one over this number.
[[nodiscard]] double samples_of(const Values& values, int64_t sharing);

/// Component of each head's error along its exact value: the effect of a factor common to the head's channels.
struct Along {
  double error = 0.0;    // root mean square of the candidate's component over that of the oracle's
  double samples = 0.0;  // independent samples that the oracle's components amount to (see samples_of)
};
[[nodiscard]] Along along_exact(const Values& values, int64_t sharing);

/// Returns rms(got - rounded) over the finite tainted elements divided by the tap's rms(exact). Zeros would give 1,
/// unrelated values 1.4.
[[nodiscard]] double relative_deviation(const Values& values, const std::vector<bool>& tainted);

}  // namespace parity::compare

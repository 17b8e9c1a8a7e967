// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Noise averages out, bugs do not: the root mean square of a tap's deviation against that of its roundings.
#pragma once

#include <vector>

#include "compare/record.hpp"
#include "compare/tolerance.hpp"

namespace parity::compare {

/// Over the finite elements; those that are `tainted` (empty: none is) count for the median row only.
[[nodiscard]] Noise noise_of(const Values& values, const std::vector<bool>& tainted);

/// What the oracle's roundings are worth as samples of their energy, sum e_b with e_b = |rounded - exact|^2 of `sharing`
/// neighbours: (sum e_b)^2 / sum e_b^2. The relative variance of that sum is at most one over it, for any e_b.
[[nodiscard]] double samples_of(const Values& values, int64_t sharing);

/// The component of each head's error along its exact value: the effect of a factor that is common to its channels.
struct Along {
  double error = 0.0;    // root mean square of the candidate's over the oracle's
  double samples = 0.0;  // as above
};
[[nodiscard]] Along along_exact(const Values& values, int64_t sharing);

/// rms(got - rounded) over the finite tainted elements / rms(exact) of the tap: 1 is as far off as zeros would be, 1.4 as
/// unrelated values.
[[nodiscard]] double relative_deviation(const Values& values, const std::vector<bool>& tainted);

}  // namespace parity::compare

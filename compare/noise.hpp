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

/// rms(got - rounded) over the finite tainted elements / rms(exact) of the tap: 1 is as far off as zeros would be, 1.4 as
/// unrelated values.
[[nodiscard]] double relative_deviation(const Values& values, const std::vector<bool>& tainted);

}  // namespace parity::compare

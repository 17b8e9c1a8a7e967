// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The lane large: cases with so many rows that a kernel that shares them out makes several pieces, the last one
// incomplete. A piece has 2^15 or 2^16 elements, or 64 rows (optimized/cpu/parallel.hpp). Every row is judged.
#pragma once

#include <string>

#include "cases/drawn/case_spec.hpp"

namespace parity::cases {

struct DrawnCase;

/// Elements of the largest output: four pieces of 2^15, or two of 2^16.
inline constexpr int64_t kLargeElements = int64_t{1} << 17;

/// The axis letter that grows, and its number of rows.
struct Growth {
  char letter = 'S';
  int64_t rows = 0;
};
/// Returns the growth of a case in the lane large. Throws Error{unsupported} for a component without such cases.
[[nodiscard]] Growth growth_of(const CaseSpec& spec);

/// Returns the elements of the case's largest output that has rows, or in a loss of the largest such input.
[[nodiscard]] int64_t large_elements(const DrawnCase& drawn);

/// Returns why the component has no large cases, or "" if it has.
[[nodiscard]] std::string no_large_cases(const std::string& component);
/// Returns why its large cases stay below kLargeElements, or "" if they do not.
[[nodiscard]] std::string smaller_large_cases(const std::string& component);

}  // namespace parity::cases

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The lane large: cases with so many rows that a kernel which shares them out makes several pieces of them, the last one
// ragged. Pieces hold 2^15 elements or 2^16, or 64 rows (optimized/cpu/parallel.hpp); every row is judged.
#pragma once

#include <string>

#include "cases/drawn/case_spec.hpp"

namespace parity::cases {

/// Elements of the largest output: four pieces of 2^15, two of 2^16.
inline constexpr int64_t kLargeElements = int64_t{1} << 17;

/// The letter that grows and what it grows to.
struct Growth {
  char letter = 'S';
  int64_t rows = 0;
};
/// Of a case in the lane large. Error{unsupported} for a component that has none.
[[nodiscard]] Growth growth_of(const CaseSpec& spec);

/// Why the component has no large cases; empty when it has.
[[nodiscard]] std::string no_large_cases(const std::string& component);
/// Why its large cases stay below kLargeElements; empty when they do not.
[[nodiscard]] std::string smaller_large_cases(const std::string& component);

}  // namespace parity::cases

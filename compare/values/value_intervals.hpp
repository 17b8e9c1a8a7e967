// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Intervals of the numbers that explain single wrong elements. A claimed number must be in (nearly) all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compare/values/value_view.hpp"

namespace parity::compare {

struct Interval {
  double low = 0.0, high = 0.0;

  [[nodiscard]] double middle() const { return 0.5 * (low + high); }
};

/// Returns the stretch that is common to the most intervals.
[[nodiscard]] Interval commonest(const std::vector<Interval>& intervals);
/// Returns the factors that make the expected value of element i the value got, or nullopt if the expected value may
/// be 0.
[[nodiscard]] std::optional<Interval> factors_of(const ValueView& view, int64_t i);

}  // namespace parity::compare

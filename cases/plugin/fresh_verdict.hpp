// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A verdict on a kernel that may try to deceive its judge: by cases that nobody knew before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cases/battery.hpp"
#include "cases/plugin/plugin.hpp"

namespace parity::cases {

struct FreshOptions {
  std::string component{};  // empty: all that the kernel computes
  int64_t cases = 6;        // of each component and type; the lanes in turn
  int64_t timed = 5;        // further calls of one shape that are timed, each with operands of its own; 0: none
  AxisSizes extents{};      // of the timed calls; others are drawn
};

struct FreshFailure {
  CaseSpec spec;
  compare::Record record;
};

/// Seconds of the timed calls of one component and type. Each was judged, and was right.
struct FreshTime {
  CaseSpec spec;  // of the first
  std::vector<double> seconds;
};

struct FreshVerdict {
  int64_t cases = 0, failed = 0, errors = 0, refused = 0, mistrusted = 0;
  std::optional<FreshFailure> first;
  std::vector<FreshTime> times;  // only if nothing failed

  [[nodiscard]] bool right() const { return failed == 0 && cases > 0; }
};

/// Judges the kernel on cases of seeds that the system draws for this call. Stops at the third failure.
[[nodiscard]] FreshVerdict fresh_verdict(const Plugin& plugin, const FreshOptions& options);

}  // namespace parity::cases

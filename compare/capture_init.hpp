// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// An empty capture of a golden's calls: inputs, and every tap as a dataset that waits for its values.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "golden/golden.hpp"

namespace parity::compare {

/// What is written for a script to fill.
struct CaptureRequest {
  std::vector<std::string> only{};     // globs over taps: no others are offered (computed_taps)
  std::vector<std::string> without{};  // globs over taps that are not offered (not_computed_taps)
  bool padding = true;                 // false: declares not_computed_padding
};

/// Writes `out`: the golden's tokens and other inputs, its config and what its root says of the run, and each tap that it
/// records, filled with NaN (ids: the smallest integer, bytes: 255) and marked computed = "no". Returns how many taps.
/// Error{usage} when nothing is left to fill.
[[nodiscard]] int64_t write_empty_capture(const golden::Golden& golden, const CaptureRequest& request,
                                          const std::filesystem::path& out);

}  // namespace parity::compare

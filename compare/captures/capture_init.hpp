// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Writes an empty capture of a golden's calls: its inputs, and an unfilled dataset for every tap.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "golden/golden.hpp"

namespace parity::compare {

/// The taps that an empty capture offers to be filled.
struct CaptureRequest {
  std::vector<std::string> only{};     // globs over the taps offered (computed_taps); empty: all
  std::vector<std::string> without{};  // globs over taps that are not offered (not_computed_taps)
  bool padding = true;                 // false: the capture declares not_computed_padding
};

/// Writes `out` with the golden's tokens and other inputs, its config, its root attributes about the run, and a dataset
/// for each recorded tap. The dataset is filled with NaN (ids: the smallest integer; bytes: 255) and marked computed =
/// "no". Returns the number of taps. Throws Error{usage} when no tap is left to fill.
[[nodiscard]] int64_t write_empty_capture(const golden::Golden& golden, const CaptureRequest& request,
                                          const std::filesystem::path& out);

}  // namespace parity::compare

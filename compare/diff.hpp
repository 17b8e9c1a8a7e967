// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Two captures compared without kernels: where they first differ. Neither is taken to be right.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "golden/activation_file.hpp"

namespace parity::compare {

/// A dataset that both captures hold, under the same name.
struct TapDiff {
  std::string tap;
  std::string component;
  int layer = -1;
  std::string problem;    // the values could not be compared: "shape (2, 53, 20) against (2, 54, 20)"; or texts differ
  bool discrete = false;  // ids, booleans, bytes: rows count, magnitudes mean nothing
  int64_t elements = 0;
  int64_t unequal = 0;  // two NaN are equal, and so are 0 and -0
  int64_t rows = 0;     // along the last axis
  int64_t unequal_rows = 0;
  int64_t not_finite = 0;         // NaN or infinity on one side, something else on the other
  double largest_difference = 0;  // max |a - b| of the finite ones
  double largest = 0;             // largest finite magnitude on either side
  std::vector<int64_t> where;     // of the largest difference, else of the first unequal element

  [[nodiscard]] double relative() const { return largest == 0.0 ? 0.0 : largest_difference / largest; }
  [[nodiscard]] double equal_share() const;
  [[nodiscard]] bool diverges(double rtol) const;  // rtol: largest relative() that still counts as equal
};

struct DiffSettings {
  std::string select = "*";
  std::function<void(size_t done, size_t total, const std::string& tap)> progress;
};

struct CaptureDiff {
  std::vector<TapDiff> taps;  // in the order of the flow: the first that diverges is nearest to the cause
  std::vector<std::string> only_left;
  std::vector<std::string> only_right;

  [[nodiscard]] const TapDiff* first_divergence(double rtol) const;  // nullptr when there is none
};

/// One tap at a time is in memory, of long ones some rows. Slots of experts (axis T) are compared by expert id where both
/// captures hold the ids: their order is the implementation's own.
[[nodiscard]] CaptureDiff diff_captures(const golden::ActivationFile& left, const golden::ActivationFile& right,
                                        const DiffSettings& settings);

}  // namespace parity::compare

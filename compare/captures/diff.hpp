// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Compares two captures without kernels and finds where they first differ. Neither is assumed to be right.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "golden/files/activation_file.hpp"

namespace parity::compare {

/// Differences of a dataset that both captures have under one name.
struct TapDiff {
  std::string tap;
  std::string component;
  int layer = -1;
  std::string problem;    // why values cannot be compared: "shape (2, 53, 20) against (2, 54, 20)"; or texts differ
  bool discrete = false;  // ids, booleans, bytes: rows are counted, magnitudes are meaningless
  int64_t elements = 0;
  int64_t unequal = 0;  // any two NaN are equal, and 0 equals -0
  int64_t rows = 0;     // number of rows along the last axis
  int64_t unequal_rows = 0;
  int64_t not_finite = 0;         // NaN or infinity on one side and another value on the other
  double largest_difference = 0;  // max |a - b| over finite elements
  double largest = 0;             // largest finite magnitude of both sides
  std::vector<int64_t> where;     // index of the largest difference, or of the first unequal element

  [[nodiscard]] double relative() const { return largest == 0.0 ? 0.0 : largest_difference / largest; }
  [[nodiscard]] double equal_share() const;
  [[nodiscard]] bool diverges(double rtol) const;  // rtol: the largest relative() that counts as equal
};

struct DiffSettings {
  std::string select = "*";
  std::function<void(size_t done, size_t total, const std::string& tap)> progress;
};

struct CaptureDiff {
  std::vector<TapDiff> taps;  // in the order of the model: the first that diverges is nearest to the cause
  std::vector<std::string> only_left;
  std::vector<std::string> only_right;

  [[nodiscard]] const TapDiff* first_divergence(double rtol) const;  // nullptr if no tap diverges
};

/// Compares two captures. Only one tap is in memory at a time, or some rows of a long one. Slots of experts (axis T)
/// are matched by expert id if both captures record the ids, because each implementation may order them differently.
[[nodiscard]] CaptureDiff diff_captures(const golden::ActivationFile& left, const golden::ActivationFile& right,
                                        const DiffSettings& settings);

}  // namespace parity::compare

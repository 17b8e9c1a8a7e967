// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Slices of a tap along its axes: which row, head, block or expert is worst, and where the failures are.
#pragma once

#include <string>
#include <vector>

#include "compare/record.hpp"
#include "compare/region.hpp"

namespace parity::compare {

/// Coordinates of the flat-th element.
[[nodiscard]] std::vector<int64_t> index_of(int64_t flat, const Shape& shape);

/// Collects budgets element by element in row-major order. Memory grows with the axes, not with the elements; once
/// something failed, by a bit per element.
class FailureMap {
 public:
  /// `sizes` takes axes that are several in one apart: heads of "AD".
  FailureMap(const std::string& axes, const Shape& shape, const AxisSizes& sizes = {});

  void add(double budget);  // of the next element; over 1 = failed
  [[nodiscard]] int64_t failed() const { return failed_; }
  [[nodiscard]] double worst_budget() const { return worst_budget_; }
  [[nodiscard]] int64_t worst() const { return worst_; }  // flat
  /// The worst position of the rows (all axes but the last) and of every axis.
  [[nodiscard]] std::vector<Slice> slices() const;
  /// Where the elements over budget are.
  [[nodiscard]] Region region() const;
  /// The same in words: "all 48 of token 11, head 3, channels 0..15 (an aligned 16)".
  [[nodiscard]] std::string description() const { return region().text(); }

 private:
  struct Tally {  // one grouping of the elements
    std::string word;
    std::vector<double> budget;
    std::vector<int64_t> failed;
    void add(int64_t position, double budget);
    [[nodiscard]] Slice worst() const;
  };

  std::string tokens_;
  Shape shape_;
  AxisSizes sizes_;
  Tally rows_;
  std::vector<Tally> axes_;
  std::vector<int64_t> index_;  // of the next element
  std::vector<bool> over_;      // per element up to the last that failed
  int64_t next_ = 0, failed_ = 0, worst_ = 0;
  double worst_budget_ = 0.0;
};

}  // namespace parity::compare

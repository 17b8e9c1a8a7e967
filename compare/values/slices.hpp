// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Slices of a tap along its axes: the worst row, head, block or expert, and the positions of all failures.
#pragma once

#include <string>
#include <vector>

#include "compare/judging/record.hpp"
#include "compare/values/region.hpp"

namespace parity::compare {

/// Returns the coordinates of the element with row-major index `flat`.
[[nodiscard]] std::vector<int64_t> index_of(int64_t flat, const Shape& shape);

/// Collects the used budget of each element in row-major order. Memory grows with the extents of the axes, not with the
/// number of elements. After the first failure it also stores one bit per element.
class FailureMap {
 public:
  /// `sizes` gives the extents by which an axis of several letters is split: heads and channels of "AD".
  FailureMap(const std::string& axes, const Shape& shape, const AxisSizes& sizes = {});

  void add(double budget);  // adds the next element; a budget above 1 is a failure
  [[nodiscard]] int64_t failed() const { return failed_; }
  [[nodiscard]] double worst_budget() const { return worst_budget_; }
  [[nodiscard]] int64_t worst() const { return worst_; }  // flat index
  /// Returns the worst position of the rows (all axes but the last) and of each axis.
  [[nodiscard]] std::vector<Slice> slices() const;
  /// Returns the region of the elements over budget.
  [[nodiscard]] Region region() const;
  /// Describes the region in words: "all 48 of token 11, head 3, channels 0..15 (an aligned 16)".
  [[nodiscard]] std::string description() const { return region().text(); }

 private:
  struct Tally {  // sums along one grouping of the elements
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
  std::vector<int64_t> index_;  // coordinates of the next element
  std::vector<bool> over_;      // true for failures, up to the last one
  int64_t next_ = 0, failed_ = 0, worst_ = 0;
  double worst_budget_ = 0.0;
};

}  // namespace parity::compare

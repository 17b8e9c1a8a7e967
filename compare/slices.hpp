// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Slices of a tap along its axes: which row, head, block or expert is worst, and where the failures are.
#pragma once

#include <string>
#include <vector>

#include "compare/record.hpp"

namespace parity::compare {

/// Coordinates of the flat-th element.
[[nodiscard]] std::vector<int64_t> index_of(int64_t flat, const Shape& shape);
/// "sequence", "token", "head", … for an axis token of the golden format; the token itself when it has no word.
[[nodiscard]] std::string axis_word(const std::string& token);

/// Collects budgets element by element in row-major order; memory grows with the axes, not with the elements.
class FailureMap {
 public:
  FailureMap(const std::string& axes, const Shape& shape);

  void add(double budget);  // of the next element; over 1 = failed
  [[nodiscard]] int64_t failed() const { return failed_; }
  [[nodiscard]] double worst_budget() const { return worst_budget_; }
  [[nodiscard]] int64_t worst() const { return worst_; }  // flat
  /// The worst position of the rows (all axes but the last) and of every axis.
  [[nodiscard]] std::vector<Slice> slices() const;
  /// "all 48 in token 11, head 3, channels 0..15": the box that holds every element over budget.
  [[nodiscard]] std::string description() const;

 private:
  struct Tally {  // one grouping of the elements
    std::string word;
    std::vector<double> budget;
    std::vector<int64_t> failed;
    void add(int64_t position, double budget);
    [[nodiscard]] Slice worst() const;
  };

  std::vector<std::string> tokens_;
  Shape shape_;
  Tally rows_;
  std::vector<Tally> axes_;
  std::vector<int64_t> index_;  // of the next element
  std::vector<int64_t> least_, most_;
  int64_t next_ = 0, failed_ = 0, worst_ = 0;
  double worst_budget_ = 0.0;
};

}  // namespace parity::compare

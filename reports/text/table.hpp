// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A table of text cells for the terminal and for Markdown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace parity::reports {

class Table {
 public:
  static constexpr size_t kUnbounded = static_cast<size_t>(-1);

  /// The first `left` columns are names and aligned left. The others are numbers and aligned right.
  Table(std::vector<std::string> titles, size_t left);
  void add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.size() == 1; }

  /// Sets the columns to leave out, in this order, if a line is too narrow.
  void spare(std::vector<std::string> titles) { spare_ = std::move(titles); }
  /// Sets the column whose long cells get their own line if leaving columns out is not enough. The rest of the row is
  /// on the next line.
  void tall(std::string title) { tall_ = std::move(title); }

  /// Returns aligned columns. Every line begins with `indent` and ends with a line feed. Empty columns are left out.
  [[nodiscard]] std::string text(const std::string& indent = "", size_t width = kUnbounded) const;
  /// Returns the lines of a GitHub table, with line feeds: the head, then the rows. Cells must be escaped already.
  [[nodiscard]] std::vector<std::string> markdown() const;

 private:
  using Rows = std::vector<std::vector<std::string>>;

  /// Returns the columns that are not empty in some row.
  [[nodiscard]] std::vector<size_t> telling() const;
  /// Returns those of `columns` that fit in `room`. The titles of the others are added to `lost`.
  [[nodiscard]] std::vector<size_t> fitting(std::vector<size_t> columns, size_t room,
                                            std::vector<std::string>& lost) const;
  /// Returns the width of each kept column: that of its longest cell, or less for the tall one if `room` is too small.
  [[nodiscard]] std::vector<size_t> widths_of(const std::vector<size_t>& kept, size_t room) const;
  /// Returns one row, on two lines if its tall cell is wider than the column.
  [[nodiscard]] std::string row_text(const std::vector<std::string>& row, const std::vector<size_t>& kept,
                                     const std::vector<size_t>& widths, const std::string& indent) const;
  [[nodiscard]] size_t width_of(size_t column) const;
  [[nodiscard]] size_t width_of(const std::vector<size_t>& columns) const;

  Rows rows_;  // the titles first
  size_t left_;
  std::vector<std::string> spare_;
  std::string tall_;
};

}  // namespace parity::reports

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A table of text cells, for the terminal and for Markdown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace parity::reports {

class Table {
 public:
  static constexpr size_t kUnbounded = static_cast<size_t>(-1);

  /// The first `left` columns hold names and are aligned left, the others hold numbers.
  Table(std::vector<std::string> titles, size_t left);
  void add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.size() == 1; }

  /// What is left out first, in this order, where a line does not hold everything.
  void spare(std::vector<std::string> titles) { spare_ = std::move(titles); }
  /// The column of which long cells get a line of their own where leaving columns out is not enough: the rest of the row is
  /// on the next line.
  void tall(std::string title) { tall_ = std::move(title); }

  /// Aligned columns; every line begins with `indent` and ends with a line feed. Columns of nothing are not printed.
  [[nodiscard]] std::string text(const std::string& indent = "", size_t width = kUnbounded) const;
  /// Lines of a GitHub table with line feeds: the first is the head, the others are rows. Cells must be escaped.
  [[nodiscard]] std::vector<std::string> markdown() const;

 private:
  using Rows = std::vector<std::vector<std::string>>;

  /// Columns that say something in some row.
  [[nodiscard]] std::vector<size_t> telling() const;
  /// Those of `columns` that fit; the others are `lost`.
  [[nodiscard]] std::vector<size_t> fitting(std::vector<size_t> columns, size_t room,
                                            std::vector<std::string>& lost) const;
  /// Of each kept column: all of its cells fit, but for those of the tall one where `room` does not hold them.
  [[nodiscard]] std::vector<size_t> widths_of(const std::vector<size_t>& kept, size_t room) const;
  /// One row, on two lines where its tall cell is wider than the column.
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

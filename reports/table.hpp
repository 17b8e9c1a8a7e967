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
  /// The first `left` columns hold names and are aligned left, the others hold numbers.
  Table(std::vector<std::string> titles, size_t left);
  void add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.size() == 1; }

  /// Aligned columns; every line begins with `indent` and ends with a line feed.
  [[nodiscard]] std::string text(const std::string& indent = "") const;
  /// Lines of a GitHub table with line feeds: the first is the head, the others are rows. Cells must be escaped.
  [[nodiscard]] std::vector<std::string> markdown() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the titles first
  size_t left_;
};

}  // namespace parity::reports

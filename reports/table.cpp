// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/table.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "reports/format.hpp"

namespace parity::reports {

Table::Table(std::vector<std::string> titles, size_t left) : rows_{std::move(titles)}, left_(left) {}

void Table::add(std::vector<std::string> cells) {
  PARITY_CHECK(cells.size() == rows_.front().size(), internal, "a row of {} cells in a table of {} columns",
               cells.size(), rows_.front().size());
  rows_.push_back(std::move(cells));
}

std::string Table::text(const std::string& indent) const {
  std::vector<size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  std::string result;
  for (const auto& row : rows_) {
    std::string line = indent;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - columns(row[i]), ' ');
      if (i > 0) line += "  ";
      line += i < left_ ? row[i] + padding : padding + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + '\n';
  }
  return result;
}

std::vector<std::string> Table::markdown() const {
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::string line = "|";
    for (const std::string& cell : row) line += " " + cell + " |";
    lines.push_back(line + '\n');
  }
  lines.front() += "|";
  for (size_t i = 0; i < rows_.front().size(); ++i) lines.front() += i < left_ ? " --- |" : " ---: |";
  lines.front() += '\n';
  return lines;
}

}  // namespace parity::reports

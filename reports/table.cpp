// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "reports/format.hpp"
#include "reports/wrap.hpp"

namespace parity::reports {

Table::Table(std::vector<std::string> titles, size_t left) : rows_{std::move(titles)}, left_(left) {}

void Table::add(std::vector<std::string> cells) {
  PARITY_CHECK(cells.size() == rows_.front().size(), internal, "a row of {} cells in a table of {} columns",
               cells.size(), rows_.front().size());
  rows_.push_back(std::move(cells));
}

std::vector<size_t> Table::telling() const {
  std::vector<size_t> result;
  for (size_t i = 0; i < rows_.front().size(); ++i) {
    const bool says =
        std::any_of(rows_.begin() + 1, rows_.end(), [&](const auto& row) { return !row[i].empty() && row[i] != "-"; });
    if (says || i < 1) result.push_back(i);
  }
  return result;
}

size_t Table::width_of(size_t column) const {
  size_t width = 0;
  for (const auto& row : rows_) width = std::max(width, columns(row[column]));
  return width;
}

size_t Table::width_of(const std::vector<size_t>& kept) const {
  size_t width = kept.empty() ? 0 : 2 * (kept.size() - 1);
  for (const size_t column : kept) width += width_of(column);
  return width;
}

std::vector<size_t> Table::fitting(std::vector<size_t> kept, size_t room, std::vector<std::string>& lost) const {
  for (const std::string& title : spare_) {
    if (width_of(kept) <= room) break;
    const auto found =
        std::find_if(kept.begin(), kept.end(), [&](size_t column) { return rows_.front()[column] == title; });
    if (found == kept.end()) continue;
    lost.push_back(title);
    kept.erase(found);
  }
  return kept;
}

std::string Table::text(const std::string& indent, size_t width) const {
  const size_t room = width == kUnbounded ? kUnbounded : width - std::min(width, indent.size());
  std::vector<std::string> lost;
  const std::vector<size_t> kept = fitting(telling(), room, lost);
  const size_t needed = width_of(kept);
  constexpr size_t kShortest = 12;  // of what a cell is cut to
  std::vector<size_t> widths;
  for (const size_t column : kept) {
    const size_t wide = width_of(column);
    const bool cut = needed > room && rows_.front()[column] == cut_;
    widths.push_back(cut ? std::max(wide - std::min(wide, needed - room), kShortest) : wide);
  }
  std::string result;
  for (const auto& row : rows_) {
    std::string line = indent;
    for (size_t i = 0; i < kept.size(); ++i) {
      const std::string cell = middle_out(row[kept[i]], widths[i]);
      const std::string padding(widths[i] - std::min(widths[i], columns(cell)), ' ');
      if (i > 0) line += "  ";
      line += kept[i] < left_ ? cell + padding : padding + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + '\n';
  }
  if (!lost.empty())
    result += wrapped(fmt::format("{}no room for: {}", indent, fmt::join(lost, ", ")), width, indent.size()) + "\n";
  return result;
}

std::vector<std::string> Table::markdown() const {
  const std::vector<size_t> kept = telling();
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::string line = "|";
    for (const size_t column : kept) line += " " + row[column] + " |";
    lines.push_back(line + '\n');
  }
  lines.front() += "|";
  for (const size_t column : kept) lines.front() += column < left_ ? " --- |" : " ---: |";
  lines.front() += '\n';
  return lines;
}

}  // namespace parity::reports

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "reports/text/format.hpp"
#include "reports/text/wrap.hpp"

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

std::vector<size_t> Table::widths_of(const std::vector<size_t>& kept, size_t room) const {
  constexpr size_t kShortest = 12;  // minimal width of a tall column, most of whose cells then get their own line
  const size_t needed = width_of(kept);
  std::vector<size_t> widths;
  for (const size_t column : kept) {
    const size_t wide = width_of(column);
    const bool narrowed = needed > room && rows_.front()[column] == tall_;
    widths.push_back(narrowed ? std::max(wide - std::min(wide, needed - room), kShortest) : wide);
  }
  return widths;
}

std::string Table::row_text(const std::vector<std::string>& row, const std::vector<size_t>& kept,
                            const std::vector<size_t>& widths, const std::string& indent) const {
  const auto trimmed = [](std::string line) { return line.erase(line.find_last_not_of(' ') + 1); };
  std::string text, line = indent;
  for (size_t i = 0; i < kept.size(); ++i) {
    const std::string& cell = row[kept[i]];
    if (i > 0) line += "  ";
    if (columns(cell) > widths[i]) {
      text = trimmed(line + cell) + '\n';
      line = std::string(columns(line) + widths[i], ' ');
      continue;
    }
    const std::string padding(widths[i] - columns(cell), ' ');
    line += kept[i] < left_ ? cell + padding : padding + cell;
  }
  line = trimmed(line);
  return line.empty() && !text.empty() ? text : text + line + '\n';
}

std::string Table::text(const std::string& indent, size_t width) const {
  const size_t room = width == kUnbounded ? kUnbounded : width - std::min(width, indent.size());
  std::vector<std::string> lost;
  const std::vector<size_t> kept = fitting(telling(), room, lost);
  const std::vector<size_t> widths = widths_of(kept, room);
  std::string result;
  for (const auto& row : rows_) result += row_text(row, kept, widths, indent);
  if (!lost.empty())
    result +=
        wrapped(fmt::format("{}columns not shown: {}", indent, fmt::join(lost, ", ")), width, indent.size()) + "\n";
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

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The summary of the table: a sentence for each phase, then the figures behind it.
#include <algorithm>
#include <cmath>

#include "benches/msa/msa_table.hpp"
#include "benches/statistics.hpp"
#include "reports/text/table.hpp"
#include "reports/text/wrap.hpp"

namespace parity::benches {
namespace {

struct Against {
  const char* column;
  const char* name;
};

/// Returns what MSA is compared with: LibTorch's SDPA if it was timed, else our own dense attention.
Against against(const TableRow& row) {
  const bool timed = !ratio_of(row, {{"sdpa"}}, {{"msa"}}).rounds.empty();
  return timed ? Against{"sdpa", "SDPA"} : Against{"dense", "own dense attention"};
}

/// Returns the measured row of 4K context, or else the longest measured row; nullptr if no row was measured.
const TableRow* told_row(const Section& section) {
  constexpr int64_t kTold = 4096;
  const TableRow* told = nullptr;
  for (const TableRow* row : section.rows) {
    const Ratio ratio = ratio_of(*row, {{against(*row).column}}, {{"msa"}});
    if (ratio.rounds.empty() || ratio.busy()) continue;
    if (told == nullptr || told->shape.slots != kTold) told = row;
  }
  return told;
}

std::string ratio_cell(const Ratio& ratio) {
  if (ratio.rounds.empty()) return "-";
  if (ratio.busy()) return "machine busy";
  return fmt::format("{:.2f}x ± {:.2f}{}", ratio.value(), ratio.value() * ratio.spread(), ratio.doubtful() ? " ~" : "");
}

std::string time_cell(const TableRow& row, const std::string& column) {
  const auto found = row.cells.find(column);
  if (found == row.cells.end()) return "-";
  if (!found->second.timed()) return found->second.why;
  const double seconds = row.seconds(column);
  return std::isfinite(seconds) ? fmt::format("{:.3g} ms", 1e3 * seconds) : "-";
}

}  // namespace

std::vector<std::string> headlines(const MsaTable& table) {
  std::vector<std::string> lines;
  for (const Section& section : sections_of(table)) {
    const TableRow* row = told_row(section);
    const bool batched = section.rows.front()->shape.batch > 1;
    const std::string title =
        batched ? section.title
                : section.title.substr(0, section.title.find(','));  // a batch of one is not part of the title
    if (row == nullptr) {
      lines.push_back(title + ": machine busy, not measured");
      continue;
    }
    const Against other = against(*row);
    const Ratio ratio = ratio_of(*row, {{other.column}}, {{"msa"}});
    lines.push_back(fmt::format("{} at {}: MSA is {:.1f}x {} ± {:.1f}{}", title, context_label(row->shape.slots),
                                ratio.value(), other.name, ratio.value() * ratio.spread(),
                                ratio.doubtful() ? ", doubtful" : ""));
  }
  return lines;
}

bool has_measured(const MsaTable& table) {
  const std::vector<Section> sections = sections_of(table);
  return std::any_of(sections.begin(), sections.end(), [](const Section& one) { return told_row(one) != nullptr; });
}

std::string table_answer(const MsaTable& table, size_t width) {
  std::string text;
  for (const std::string& line : headlines(table)) text += line + '\n';
  for (const Section& section : sections_of(table)) {
    reports::Table rows({section.title, "SDPA", "own dense", "MSA", "SDPA/MSA", "dense/MSA"}, 1);
    bool doubtful = false;
    for (const TableRow* row : section.rows) {
      const Ratio sdpa = ratio_of(*row, {{"sdpa"}}, {{"msa"}}), dense = ratio_of(*row, {{"dense"}}, {{"msa"}});
      doubtful = doubtful || sdpa.doubtful() || dense.doubtful();
      rows.add({context_label(row->shape.slots), time_cell(*row, "sdpa"), time_cell(*row, "dense"),
                time_cell(*row, "msa"), ratio_cell(sdpa), ratio_cell(dense)});
    }
    rows.spare({"own dense", "SDPA", "MSA"});
    text += '\n' + rows.text("  ", width);
    if (doubtful) text += fmt::format("  ~: a spread above {:.0f}%; not reliable\n", 100.0 * kDoubtful);
  }
  for (const std::string& what : table.left_out) text += reports::wrapped("left out: " + what, width, 2, 0) + '\n';
  return text;
}

}  // namespace parity::benches

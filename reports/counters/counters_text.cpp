// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/counters/counters_text.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "optimized/ptx/text/source_name.hpp"
#include "reports/counters/counters_growth.hpp"
#include "reports/text/table.hpp"

namespace parity::reports {
namespace {

double ratio(uint64_t part, uint64_t of) { return of == 0 ? 0 : static_cast<double>(part) / static_cast<double>(of); }

std::string percent_of(double part) { return fmt::format("{:.1f} %", 100 * part); }

struct Row {
  std::string place;
  std::set<std::string> opcodes;
  ptx::Cost cost;
};

/// Lines of the source, or of the PTX text where that is not known; the heaviest first.
std::vector<Row> rows_of(const ptx::Counters& counters) {
  const auto has_line = [](const ptx::LineCost& line) { return line.position.line != 0; };
  const bool any = std::any_of(counters.lines.begin(), counters.lines.end(), has_line);
  std::map<std::string, Row> rows;
  for (const ptx::LineCost& line : counters.lines) {
    // The compiler adds instructions that are of no line, such as loads of parameters: together they are a row.
    const std::string place = has_line(line) || !any ? place_of(line) : "no line";
    Row& row = rows[place];
    row.place = place;
    // A line of the source is many instructions: those that access memory say what it is.
    const bool memory = line.cost.all_global().requests + line.cost.shared.requests + line.cost.local.requests > 0;
    if (memory || !any) row.opcodes.insert(line.opcode);
    row.cost += line.cost;
  }
  std::vector<Row> sorted;
  for (auto& [place, row] : rows) sorted.push_back(std::move(row));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Row& a, const Row& b) { return weight_of(a.cost) > weight_of(b.cost); });
  return sorted;
}

std::string head(const ptx::Counters& counters) {
  std::string text = fmt::format("{}: {} block{}", ptx::source_name(counters.kernel), counters.blocks,
                                 counters.blocks == 1 ? "" : "s");
  if (!counters.run.empty())
    text += fmt::format(", of which {} ran; counts are scaled to all blocks, except those of source lines",
                        counters.run.size());
  return text + "\n";
}

std::string unique_text(const ptx::Counters& counters, const std::optional<ptx::UniqueBytes>& stated) {
  if (counters.unique)
    return fmt::format("{} bytes read and {} written at different addresses", counters.unique->read,
                       counters.unique->written);
  const std::string text = "bytes at different addresses cannot be counted in a sample";
  if (!stated) return text;
  return text + fmt::format("; operands: {} bytes read, {} written", stated->read, stated->written);
}

/// "  most sectors  norm.cu:12, 41.2 %" of what `number` takes from a cost.
template <class Number>
std::string most_text(const char* what, const std::vector<Row>& rows, const Number& number) {
  uint64_t all = 0;
  const Row* most = nullptr;
  for (const Row& row : rows) {
    all += number(row.cost);
    if (most == nullptr || number(row.cost) > number(most->cost)) most = &row;
  }
  if (all == 0) return "";
  return fmt::format("  most {:<17} {}, {}\n", what, most->place, percent_of(ratio(number(most->cost), all)));
}

std::string most_texts(const std::vector<Row>& rows) {
  using ptx::Cost;
  return most_text("instructions", rows, [](const Cost& cost) { return cost.instructions; }) +
         most_text("sectors", rows, [](const Cost& cost) { return cost.all_global().sectors + cost.local.sectors; }) +
         most_text("conflicts", rows, [](const Cost& cost) { return cost.shared.conflicts(); });
}

}  // namespace

double weight_of(const ptx::Cost& cost) {
  constexpr double kInstructions = 4, kSectors = 64.0 / ptx::kSectorBytes;
  return static_cast<double>(cost.instructions) / kInstructions +
         static_cast<double>(cost.all_global().sectors + cost.local.sectors) / kSectors +
         static_cast<double>(cost.shared.wavefronts);
}

std::string totals_text(const ptx::Cost& total) {
  const ptx::SectorCount global = total.all_global();
  std::string text = fmt::format("  instructions  {} of warps, {:.1f} lanes each; {} at barriers\n", total.instructions,
                                 ratio(total.lanes, total.instructions), total.barriers);
  for (size_t i = 0; i < ptx::kTraffics; ++i) {
    const ptx::SectorCount& count = total.global.at(i);
    if (count.requests == 0) continue;
    text += fmt::format("  {:<12}  {} requests, {:.2f} sectors each, {} coalesced\n",
                        to_string(static_cast<ptx::Traffic>(i)), count.requests, ratio(count.sectors, count.requests),
                        percent_of(ratio(count.coalesced, count.requests)));
  }
  text += fmt::format("  global        {} bytes in accessed sectors\n", global.sectors * ptx::kSectorBytes);
  if (total.shared.requests != 0)
    text += fmt::format("  shared        {} wavefronts, {} of them conflicts\n", total.shared.wavefronts,
                        total.shared.conflicts());
  if (total.local.requests != 0)
    text += fmt::format("  local         {} bytes in accessed sectors\n", total.local.sectors * ptx::kSectorBytes);
  for (const auto& [shape, count] : total.multiply_adds)
    text += fmt::format("  tensor        {} products and sums of {}\n", count, shape);
  return text;
}

std::string counters_text(const ptx::Counters& counters, const ptx::Gpu* gpu, size_t most,
                          const std::optional<ptx::UniqueBytes>& stated) {
  std::string text = head(counters) + totals_text(counters.total());
  text += fmt::format("  different     {}\n", unique_text(counters, stated));
  if (gpu != nullptr) text += "  " + describe(bound_of(counters, *gpu, stated), *gpu) + "\n";
  const ptx::Cost all = counters.counted();
  const std::vector<Row> rows = rows_of(counters);
  text += most_texts(rows);
  Table table({"line", "accesses", "cost", "instructions", "lanes", "sectors/request", "conflicts"}, 2);
  for (size_t i = 0; i < std::min(most, rows.size()); ++i) {
    const Row& row = rows[i];
    const ptx::SectorCount global = row.cost.all_global();
    table.add({row.place, fmt::format("{}", fmt::join(row.opcodes, ", ")),
               percent_of(weight_of(row.cost) / std::max(weight_of(all), 1e-9)),
               percent_of(ratio(row.cost.instructions, all.instructions)),
               fmt::format("{:.1f}", ratio(row.cost.lanes, row.cost.instructions)),
               global.requests == 0 ? "" : fmt::format("{:.2f}", ratio(global.sectors, global.requests)),
               row.cost.shared.requests == 0 ? "" : std::to_string(row.cost.shared.conflicts())});
  }
  text += table.text("  ");
  if (rows.size() > most) text += fmt::format("  … and {} more lines\n", rows.size() - most);
  return text;
}

}  // namespace parity::reports

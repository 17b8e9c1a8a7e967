// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity battery --beside`: the bits in which two backends differ.
#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/battery/battery_parts.hpp"
#include "cli/terminal/terminal.hpp"
#include "reports/text/format.hpp"
#include "reports/text/table.hpp"

namespace parity::cli {
namespace {

using cases::Difference;

std::string demand_of(const Difference& row) {
  if (row.must_be_equal()) return "the same bits";
  return row.known ? fmt::format("may differ ({})", fmt::join(row.free, " ")) : "may differ (no CUDA launch was seen)";
}

}  // namespace

bool same_bits(const cases::Differences& differences) {
  return std::all_of(differences.rows().begin(), differences.rows().end(),
                     [](const auto& row) { return row.second.holds(); });
}

nlohmann::ordered_json beside_json(const cases::Differences& differences) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& [what, row] : differences.rows())
    rows.push_back({{"component", what.first},
                    {"type", to_string(what.second)},
                    {"cases", row.cases},
                    {"elements", row.elements},
                    {"different", row.different},
                    {"ulps", row.ulps},
                    {"worst_case", row.worst_case},
                    {"must_be_equal", row.must_be_equal()},
                    {"free", row.free},
                    {"holds", row.holds()}});
  return rows;
}

void print_beside(const cases::Differences& differences, const std::string& kernel, const std::string& other) {
  reports::Table table({"component", "type", "elements", "different", "max ulp", "expected", "worst case"}, 1);
  int64_t equal = 0, wrong = 0;
  for (const auto& [what, row] : differences.rows()) {
    equal += row.different == 0 ? 1 : 0;
    wrong += row.holds() ? 0 : 1;
    table.add({what.first, to_string(what.second), reports::count(row.elements), reports::count(row.different),
               fmt::format("{:g}", row.ulps), demand_of(row), row.worst_case});
  }
  fmt::print("outputs of {}, compared bit by bit with those of {}\n{}", kernel, other,
             table.text("  ", terminal_width()));
  fmt::print(
      "{}  {} of {} kernels give the same bits in both backends; {} give other bits although bits must be equal\n",
      verdict_word(wrong == 0 ? "PASS" : "FAIL"), equal, differences.rows().size(), wrong);
}

}  // namespace parity::cli

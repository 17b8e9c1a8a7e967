// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The result on a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "compare/record.hpp"
#include "reports/table.hpp"

namespace parity::reports {

struct TerminalStyle {
  bool colour = false;      // the caller knows isatty and NO_COLOR
  size_t width = 100;       // columns
  bool verbose = false;     // tables, every failing tap, remarks; without it the answer alone
  bool notes = false;       // the remarks without the rest
  bool taps = false;        // a line a tap
  bool bit_equal = false;   // shares of equal bits by tap
  size_t failures = 10;     // that are shown in full of each golden, in plan order
  std::string proposals{};  // printed before the closing line
};

/// What is wrong first; what holds, a line a golden; what was asked for besides; the closing line last.
[[nodiscard]] std::string terminal_text(const compare::RunReport& report, const TerminalStyle& style = {});
/// Bits shared with the oracle-rounded reference, pooled over layers, steps and goldens of one type.
[[nodiscard]] std::string bit_equal_table(const compare::RunReport& report, size_t width = Table::kUnbounded);
/// Every record on a line.
[[nodiscard]] std::string tap_table(const compare::RunReport& report, size_t width = Table::kUnbounded);
/// What is right and rounds differently, calls and layers together: how, and how far from the exact value.
[[nodiscard]] Table deviation_table(const compare::GoldenReport& golden);

}  // namespace parity::reports

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Renders a report for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "compare/judging/record.hpp"
#include "reports/text/table.hpp"

namespace parity::reports {

struct TerminalStyle {
  bool colour = false;      // the caller checks isatty and NO_COLOR
  size_t width = 100;       // columns
  bool verbose = false;     // tables, every failing tap and remarks; false: only the answer
  bool notes = false;       // only the remarks
  bool taps = false;        // one line per tap
  bool bit_equal = false;   // shares of equal bits by tap
  size_t failures = 10;     // failures shown with details per golden, in plan order
  std::string proposals{};  // text printed before the closing line
};

/// Returns failing goldens, then a line for each passing one, further output of the style, and the closing line.
[[nodiscard]] std::string terminal_text(const compare::RunReport& report, const TerminalStyle& style = {});
/// Returns the head and the details of a record that is not green, wrapped, with a final line feed.
[[nodiscard]] std::string failing_block(const compare::Record& record, const TerminalStyle& style,
                                        bool inherited = false);
/// Returns the shares of bits equal to the oracle-rounded reference, pooled over layers, calls and goldens of one type.
[[nodiscard]] std::string bit_equal_table(const compare::RunReport& report, size_t width = Table::kUnbounded);
/// Returns a table with a line for every record.
[[nodiscard]] std::string tap_table(const compare::RunReport& report, size_t width = Table::kUnbounded);
/// Returns the correct records with other roundings, over calls and layers: the deviation and the change of the error.
[[nodiscard]] Table deviation_table(const compare::GoldenReport& golden);

}  // namespace parity::reports

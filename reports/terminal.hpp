// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The result on a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "compare/record.hpp"

namespace parity::reports {

struct TerminalStyle {
  bool colour = false;   // the caller knows isatty and NO_COLOR
  size_t failures = 10;  // of each status and golden, in plan order
};

/// Per golden a head, a table of components and modes, what is wrong; the closing line last.
[[nodiscard]] std::string terminal_text(const compare::RunReport& report, const TerminalStyle& style = {});
/// `--bit-equal`: bits shared with the oracle-rounded reference, pooled over layers, steps and goldens of one type.
[[nodiscard]] std::string bit_equal_table(const compare::RunReport& report);
/// Every record on a line.
[[nodiscard]] std::string tap_table(const compare::RunReport& report);

}  // namespace parity::reports

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What is known of the terminal that results go to: its width, and whether verdicts have colours.
#pragma once

#include <cstddef>
#include <string>

#include "reports/terminal.hpp"

namespace parity::cli {

/// stdout is a terminal and NO_COLOR is not set, or empty.
[[nodiscard]] bool colour_wanted();
/// COLUMNS, else the width of the terminal at `descriptor`, else 100; from 60 to 240.
[[nodiscard]] size_t terminal_width(int descriptor = 1);
/// Of stdout.
[[nodiscard]] reports::TerminalStyle terminal_style(bool verbose);
/// "PASS" in green, everything else but "NOT RUN" in red, where colour is wanted.
[[nodiscard]] std::string verdict_word(const std::string& word);

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Properties of the terminal that shows results: its width, and whether verdicts are coloured.
#pragma once

#include <cstddef>
#include <string>

#include "reports/text/terminal.hpp"

namespace parity::cli {

/// Whether stdout is a terminal and NO_COLOR is unset or empty.
[[nodiscard]] bool colour_wanted();
/// Returns COLUMNS, else the width of the terminal at `descriptor`, else 100; limited to 60 to 240.
[[nodiscard]] size_t terminal_width(int descriptor = 1);
/// Returns the style of reports on stdout.
[[nodiscard]] reports::TerminalStyle terminal_style(bool verbose);
/// Returns the verdict, coloured if colour is wanted: "PASS" green, "NOT RUN" plain, any other word red.
[[nodiscard]] std::string verdict_word(const std::string& word);

}  // namespace parity::cli

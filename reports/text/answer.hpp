// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The short result of one golden: one line if it passes, else the verdict, the first wrong tap, a description of its
// values, the cause, and the command that repeats it.
#pragma once

#include <string>

#include "compare/judging/record.hpp"
#include "reports/text/terminal.hpp"

namespace parity::reports {

/// Whether the golden needs no attention: it passed, something was judged, and nothing is lacking.
[[nodiscard]] bool is_answered(const compare::GoldenReport& golden);
/// Returns "holds  m3-text-bf16  229 of 241 taps judged, candidate cpu", without a line feed.
[[nodiscard]] std::string green_line(const compare::GoldenReport& golden, const TerminalStyle& style);
/// Returns several lines, each with a line feed.
[[nodiscard]] std::string answer_text(const compare::GoldenReport& golden, const TerminalStyle& style);

}  // namespace parity::reports

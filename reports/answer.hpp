// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What one golden's run says at first sight: a line where parity holds, else the verdict, the first wrong place, what its
// values are, the cause, and the command that shows it again.
#pragma once

#include <string>

#include "compare/record.hpp"
#include "reports/terminal.hpp"

namespace parity::reports {

/// Nothing of it needs a look: passed, judged, and nothing is lacking.
[[nodiscard]] bool is_answered(const compare::GoldenReport& golden);
/// "holds  m3-text-bf16  229 of 241 taps judged, candidate cpu", without a line feed.
[[nodiscard]] std::string green_line(const compare::GoldenReport& golden, const TerminalStyle& style);
/// Several lines, each with a line feed.
[[nodiscard]] std::string answer_text(const compare::GoldenReport& golden, const TerminalStyle& style);

}  // namespace parity::reports

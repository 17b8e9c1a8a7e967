// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Colours of a verdict: green, yellow for skipped, red.
#pragma once

#include <string>

#include "reports/text/record_text.hpp"

namespace parity::reports {

/// Returns `text` in the colour of `outcome`; unchanged if not `wanted`, which depends on the terminal and NO_COLOR.
[[nodiscard]] inline std::string coloured(const std::string& text, Outcome outcome, bool wanted) {
  if (!wanted) return text;
  const char* colour = outcome == Outcome::passed ? "32" : outcome == Outcome::skipped ? "33" : "31";
  return std::string("\033[1;") + colour + "m" + text + "\033[0m";
}

}  // namespace parity::reports

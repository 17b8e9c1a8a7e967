// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/terminal/terminal.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include "reports/text/colour.hpp"

namespace parity::cli {
namespace {

/// Returns the positive number in an environment variable, or 0 if it holds none.
size_t length_in(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return 0;
  const std::string_view text = value;
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

}  // namespace

bool colour_wanted() {
  const char* refused = std::getenv("NO_COLOR");  // an empty value is ignored (no-color.org)
  return isatty(STDOUT_FILENO) == 1 && (refused == nullptr || *refused == '\0');
}

size_t terminal_width(int descriptor) {
  constexpr size_t kUsual = 100, kLeast = 60, kMost = 240;
  size_t width = length_in("COLUMNS");
  winsize size{};
  if (width == 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  return std::clamp(width == 0 ? kUsual : width, kLeast, kMost);
}

reports::TerminalStyle terminal_style(bool verbose) {
  reports::TerminalStyle style;
  style.colour = colour_wanted();
  style.width = terminal_width();
  style.verbose = verbose;
  return style;
}

std::string verdict_word(const std::string& word) {
  constexpr std::array kGood{"PASS", "pass", "whole"};
  const bool good = std::find(kGood.begin(), kGood.end(), word) != kGood.end();
  const bool neither = word == "NOT RUN" || word == "NOT SHOWN";
  return reports::coloured(word,
                           good      ? reports::Outcome::passed
                           : neither ? reports::Outcome::skipped
                                     : reports::Outcome::failed,
                           colour_wanted());
}

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/gate/policy_text.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace parity::cli {
namespace {

constexpr int kMost = 32;

/// The position after the text in quotes that begins at `at`, as TOML ends it: "…", '…', or three of either over several
/// lines. A text in single quotes ends with its line at the latest, where the parser refuses it.
size_t end_of_quoted(std::string_view text, size_t at) {
  const char quote = text[at];
  const bool escapes = quote == '"';
  const std::string_view three = escapes ? "\"\"\"" : "'''";
  const bool lines = text.substr(at).starts_with(three);
  for (at += lines ? 3 : 1; at < text.size(); ++at) {
    if (escapes && text[at] == '\\') {
      ++at;
    } else if (lines && text.substr(at).starts_with(three)) {
      at += 3;
      for (int i = 0; i < 2 && at < text.size() && text[at] == quote; ++i) ++at;  // quotes before the last three
      return at;
    } else if (!lines && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    }
  }
  return text.size();
}

int line_of(std::string_view text, size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

}  // namespace

void check_policy_text(std::string_view text) {
  int depth = 0, dots = 0;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = end_of_quoted(text, at);
      continue;
    }
    if (c == '#') at = std::min(text.find('\n', at), text.size() - 1);
    if (c == '.') {
      ++dots;
    } else if (c == '\n' || c == '#' || c == '=' || c == ',' || c == '[' || c == '{' || c == ']' || c == '}') {
      dots = 0;
    }
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    PARITY_CHECK(dots < kMost && depth <= kMost, schema,
                 "line {}: {}; a policy contains only tables with simple keys (docs/ci.md)", line_of(text, at),
                 depth > kMost ? "brackets are nested too deep" : "a key has too many parts");
    ++at;
  }
}

}  // namespace parity::cli

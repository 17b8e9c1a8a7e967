// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/wrap.hpp"

#include <algorithm>
#include <vector>

#include "reports/text/format.hpp"

namespace parity::reports {
namespace {

/// Joins words to lines of up to `width` columns, including `end` of all but the last. The first begins at `start`.
std::string joined(const std::vector<std::string>& words, size_t width, size_t hang, size_t start,
                   const std::string& end) {
  std::string text;
  size_t at = start;
  bool fresh = true;  // the line is still empty
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t needed = columns(words[i]) + (i + 1 < words.size() ? columns(end) : 0);
    if (!fresh && at + 1 + needed > width) {
      text.erase(text.find_last_not_of(' ') + 1);
      text += end + '\n' + std::string(hang, ' ');
      at = hang;
      fresh = true;
    }
    if (fresh && words[i].empty() && i > 0 && at == hang) continue;  // belongs to a gap at which the line was broken
    if (!fresh) text += ' ';
    at += columns(words[i]) + (fresh ? 0 : 1);
    text += words[i];
    fresh = false;
  }
  return text;
}

/// Splits a command at the first space of each unquoted `separator`.
std::vector<std::string> split_shell(std::string_view command, std::string_view separator) {
  std::vector<std::string> parts;
  bool quoted = false;
  size_t first = 0;
  for (size_t i = 0; i < command.size(); ++i) {
    if (command[i] == '\'') quoted = !quoted;
    if (quoted || command.substr(i, separator.size()) != separator) continue;
    parts.emplace_back(command.substr(first, i - first));
    first = i + 1;
  }
  parts.emplace_back(command.substr(first));
  return parts;
}

/// Returns the first `count` columns.
std::string first_columns(const std::string& text, size_t count) {
  size_t at = 0;
  for (size_t seen = 0; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
    if (begins && seen++ == count) break;
  }
  return text.substr(0, at);
}

}  // namespace

std::string wrapped(std::string_view text, size_t width, size_t hang, size_t start) {
  std::vector<std::string> words;
  for (size_t first = 0; first <= text.size();) {
    const size_t last = std::min(text.find(' ', first), text.size());
    words.emplace_back(text.substr(first, last - first));
    first = last + 1;
  }
  return joined(words, width, hang, start == kHang ? hang : start, "");
}

std::string wrapped_command(std::string_view command, size_t width, size_t hang) {
  constexpr std::string_view kGoesOn = " \\";
  constexpr size_t kLeast = 2;  // columns at the start of a line if a word needs the others
  std::vector<std::string> parts;
  size_t widest = 0;
  for (const std::string& option : split_shell(command, " --")) {
    const bool whole = hang + columns(option) + kGoesOn.size() <= width;
    for (const std::string& part : whole ? std::vector<std::string>{option} : split_shell(option, " ")) {
      widest = std::max(widest, columns(part) + kGoesOn.size());
      parts.push_back(part);
    }
  }
  const size_t start = hang;
  if (hang + widest > width) hang = kLeast;
  return joined(parts, width, hang, start, std::string(kGoesOn));
}

std::string shortened(const std::string& text, size_t width) {
  return columns(text) <= width || width == 0 ? text : first_columns(text, width - 1) + "…";
}

}  // namespace parity::reports

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/one_line.hpp"

#include <algorithm>

namespace parity::golden {

std::string one_line(std::string_view text, size_t longest) {
  size_t length = std::min(text.size(), longest);
  const auto continues = [&](size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
  if (length < text.size()) {
    while (length > 0 && continues(length)) --length;  // never cut inside a UTF-8 sequence
  }
  std::string result(text.substr(0, length));
  std::replace_if(
      result.begin(), result.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  // U+0080 to U+009F are control characters too: U+009B begins an escape sequence on some terminals.
  for (size_t i = 0; i + 1 < result.size(); ++i) {
    const auto next = static_cast<unsigned char>(result[i + 1]);
    if (result[i] == '\xC2' && next >= 0x80 && next < 0xA0) result.replace(i, 2, "?");
  }
  if (length < text.size()) result += "…";
  return result;
}

}  // namespace parity::golden

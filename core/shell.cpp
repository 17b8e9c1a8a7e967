// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/shell.hpp"

namespace parity {

size_t control_bytes(std::string_view word, size_t at) {
  const auto byte = static_cast<unsigned char>(word[at]);
  if (byte < 0x20 || byte == 0x7F) return 1;
  const auto next = at + 1 < word.size() ? static_cast<unsigned char>(word[at + 1]) : 0U;
  return byte == 0xC2 && next >= 0x80 && next < 0xA0 ? 2 : 0;
}

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result = "'";
  for (size_t at = 0; at < word.size(); ++at) {
    if (const size_t count = control_bytes(word, at); count > 0) {
      result += "'$'";
      for (const char c : word.substr(at, count)) {
        const auto byte = static_cast<unsigned char>(c);
        result += std::string("\\x") + kDigits[byte >> 4U] + kDigits[byte & 0xFU];
      }
      result += "''";
      at += count - 1;
    } else {
      result += word[at] == '\'' ? std::string("'\\''") : std::string(1, word[at]);
    }
  }
  return result + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  constexpr std::string_view kSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,=+@%";
  std::string line;
  for (const std::string& word : words) {
    const bool safe = !word.empty() && word.find_first_not_of(kSafe) == std::string::npos;
    line += (line.empty() ? "" : " ") + (safe ? word : shell_quoted(word));
  }
  return line;
}

}  // namespace parity

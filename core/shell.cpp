// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/shell.hpp"

namespace parity {

std::string shell_quoted(std::string_view word) {
  std::string result = "'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'') {
      result += "'\\''";
    } else if (byte < 0x20 || byte == 0x7F) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      result += std::string("'$'\\x") + kDigits[byte >> 4U] + kDigits[byte & 0xFU] + "''";
    } else {
      result += c;
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

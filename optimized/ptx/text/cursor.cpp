// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/text/cursor.hpp"

#include <charconv>

namespace parity::ptx {

bool Cursor::is_integer(std::string_view text, uint64_t& value) {
  if (text.ends_with('U')) text.remove_suffix(1);
  int base = 10;
  if (text.size() > 1 && text.front() == '0') {
    const char kind = text[1];
    base = kind == 'x' || kind == 'X' ? 16 : kind == 'b' || kind == 'B' ? 2 : 8;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

uint64_t Cursor::number(const char* what, uint64_t most) {
  uint64_t value = 0;
  if (!at_word() || !is_integer(peek().text, value)) fail(fmt::format("{} is expected", what));
  if (value > most) fail(fmt::format("{} of at most {} is expected", what, most));
  take();
  return value;
}

}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// PTX text as tokens: words (registers, directives, opcodes, numbers), strings and single characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parity::ptx {

struct Token {
  enum class Kind : uint8_t { word, string, sign, end };
  Kind kind = Kind::end;
  std::string_view text;  // of a string without its quotes
  uint32_t line = 0;

  [[nodiscard]] bool is(std::string_view expected) const { return kind != Kind::string && text == expected; }
};

/// Comments and preprocessor lines are left out; the last token is `end`. Views of `text`. Error{schema} with the line for a
/// comment or string that does not end, or a byte that no token has. Source: PTX ISA 9.0, section 4.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view text);

}  // namespace parity::ptx

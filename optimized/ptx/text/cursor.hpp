// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Where a parser stands among the tokens of a text.
#pragma once

#include <string>
#include <vector>

#include "core/error.hpp"
#include "optimized/ptx/text/token.hpp"

namespace parity::ptx {

class Cursor {
 public:
  explicit Cursor(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  [[nodiscard]] const Token& peek(size_t ahead = 0) const {
    return tokens_[at_ + ahead < tokens_.size() ? at_ + ahead : tokens_.size() - 1];
  }
  [[nodiscard]] bool at(std::string_view text) const { return peek().is(text); }
  [[nodiscard]] bool at_end() const { return peek().kind == Token::Kind::end; }
  [[nodiscard]] bool at_word() const { return peek().kind == Token::Kind::word; }
  [[nodiscard]] bool at_directive() const { return at_word() && peek().text.front() == '.'; }

  const Token& take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  /// Takes the next token if it is this one. Returns whether it is.
  bool take_if(std::string_view text) {
    if (!at(text)) return false;
    take();
    return true;
  }
  void expect(std::string_view text) {
    if (!take_if(text)) fail(fmt::format("'{}' is expected", text));
  }
  std::string word(const char* what) {
    if (!at_word()) fail(fmt::format("{} is expected", what));
    return std::string(take().text);
  }
  /// A number that is not negative, at most `most`.
  uint64_t number(const char* what, uint64_t most);
  /// An integer in any notation of PTX: 12, 0x1F, 017, 0b101, each with U after it if it likes.
  [[nodiscard]] static bool is_integer(std::string_view text, uint64_t& value);

  void skip_past(std::string_view text) {
    while (!at_end() && !at(text)) take();
    expect(text);
  }

  /// Throws Error{schema} with the line and the word that stands there.
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::schema, fmt::format("PTX line {}: {}, found '{}'", peek().line, what,
                                               at_end() ? "the end of the text" : peek().text.substr(0, 40)));
  }

 private:
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace parity::ptx

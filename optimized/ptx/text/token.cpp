// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/text/token.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace parity::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// "." joins the parts of opcodes and types: "ld.global.v4.f32" is one word.
bool in_word(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$' || c == '%' || c == '.'; }

class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  std::vector<Token> all() {
    std::vector<Token> tokens;
    do {
      skip_space();
      tokens.push_back(next());
    } while (tokens.back().kind != Token::Kind::end);
    return tokens;
  }

 private:
  [[nodiscard]] bool starts(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  void skip_to(std::string_view word, const char* what) {
    const size_t found = text_.find(word, at_ + 1);
    PARITY_CHECK(found != std::string_view::npos, schema, "PTX line {}: this {} does not end", line_, what);
    line_ += static_cast<uint32_t>(
        std::count(text_.begin() + static_cast<int64_t>(at_), text_.begin() + static_cast<int64_t>(found), '\n'));
    at_ = found + word.size();
  }

  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  void skip_space() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') {
        ++line_;
      } else if (starts("//") || text_[at_] == '#') {
        skip_line();
        --at_;
      } else if (starts("/*")) {
        ++at_;
        skip_to("*/", "comment");
        --at_;
      } else if (text_[at_] != ' ' && text_[at_] != '\t' && text_[at_] != '\r') {
        return;
      }
    }
  }

  Token next() {
    if (at_ >= text_.size()) return {Token::Kind::end, {}, line_};
    const size_t first = at_;
    const uint32_t line = line_;
    if (text_[at_] == '"') {
      skip_to("\"", "string");
      return {Token::Kind::string, text_.substr(first + 1, at_ - first - 2), line};
    }
    if (!in_word(text_[at_])) {
      constexpr std::string_view kSigns = "{}[]()<>,;:=@!|+-";
      PARITY_CHECK(kSigns.find(text_[at_]) != std::string_view::npos, schema, "PTX line {}: byte 0x{:02x} is not PTX",
                   line_, static_cast<unsigned char>(text_[at_]));
      return {Token::Kind::sign, text_.substr(at_++, 1), line};
    }
    while (at_ < text_.size() && (in_word(text_[at_]) || joins())) at_ += joins() ? 2 : 1;
    return {Token::Kind::word, text_.substr(first, at_ - first), line};
  }

  /// "shared::cluster", "L2::128B"
  [[nodiscard]] bool joins() const { return starts("::") && at_ + 2 < text_.size() && in_word(text_[at_ + 2]); }

  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) { return Tokens(text).all(); }

}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/foreign/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "core/error.hpp"

namespace parity::cases {

/// sum: product {+|- product}; product: factor {*|/|% factor}; factor: number, name, function(sum, sum), (sum).
class ExpressionParser {
 public:
  using Operation = IntegerExpression::Operation;
  explicit ExpressionParser(IntegerExpression& result) : result_(result), text_(result.text_) {}

  void parse() {
    sum(0);
    require(at_ == text_.size(), "an operator or the end");
  }

 private:
  void require(bool holds, std::string_view expected) const {
    PARITY_CHECK(holds, usage, "'{}' is not an expression: {} is expected at character {}; allowed are {}", text_,
                 expected, at_ + 1, kExpressionWords);
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char wanted) {
    skip();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    skip();
    return true;
  }
  void add(Operation operation, int64_t number = 0, std::string name = {}) {
    constexpr size_t kMost = 256;
    PARITY_CHECK(result_.terms_.size() < kMost, usage, "an expression of more than {} terms; make it shorter", kMost);
    result_.terms_.push_back({operation, number, std::move(name)});
  }

  void sum(int depth) {
    product(depth);
    for (;;) {
      const bool plus = take('+');
      if (!plus && !take('-')) return;
      product(depth);
      add(plus ? Operation::add : Operation::subtract);
    }
  }
  void product(int depth) {
    factor(depth);
    for (;;) {
      const auto operation = take('*')   ? Operation::multiply
                             : take('/') ? Operation::divide
                             : take('%') ? Operation::remainder
                                         : Operation::number;
      if (operation == Operation::number) return;
      factor(depth);
      add(operation);
    }
  }
  void factor(int depth) {
    constexpr int kDeepest = 32;
    PARITY_CHECK(depth < kDeepest, usage, "parentheses nested deeper than {}; make the expression simpler", kDeepest);
    if (take('(')) {
      sum(depth + 1);
      return require(take(')'), "')'");
    }
    skip();
    const char next = at_ < text_.size() ? text_[at_] : ' ';
    if (std::isdigit(static_cast<unsigned char>(next)) != 0) return number();
    require(std::isalpha(static_cast<unsigned char>(next)) != 0 || next == '_', "a number, a name or '('");
    name(depth);
  }
  void number() {
    int64_t value = 0;
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, value);
    require(error == std::errc(), "a number below 2^63");
    at_ = static_cast<size_t>(stop - text_.data());
    add(Operation::number, value);
  }
  void name(int depth) {
    const size_t first = at_;
    const auto belongs = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("_.[]").find(c) != std::string::npos;
    };
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    const std::string word = text_.substr(first, at_ - first);
    if (!take('(')) return add(Operation::name, 0, word);
    static const std::array<std::pair<const char*, Operation>, 3> kFunctions{
        {{"min", Operation::min}, {"max", Operation::max}, {"ceil_div", Operation::ceil_div}}};
    const auto* const known =
        std::find_if(kFunctions.begin(), kFunctions.end(), [&](const auto& one) { return word == one.first; });
    PARITY_CHECK(known != kFunctions.end(), usage, "'{}': no function {}; allowed are {}", text_, word,
                 kExpressionWords);
    sum(depth + 1);
    require(take(','), "','");
    sum(depth + 1);
    require(take(')'), "')'");
    add(known->second);
  }

  IntegerExpression& result_;
  const std::string& text_;
  size_t at_ = 0;
};

IntegerExpression::IntegerExpression(std::string_view text) : text_(text) { ExpressionParser(*this).parse(); }

std::vector<std::string> IntegerExpression::names() const {
  std::vector<std::string> names;
  for (const Term& term : terms_) {
    if (term.operation == Operation::name) names.push_back(term.name);
  }
  return names;
}

std::vector<int64_t> IntegerExpression::numbers() const {
  std::vector<int64_t> numbers;
  for (const Term& term : terms_) {
    if (term.operation == Operation::number) numbers.push_back(term.number);
  }
  return numbers;
}

int64_t IntegerExpression::joined(Operation operation, int64_t a, int64_t b) const {
  int64_t result = 0;
  bool fits = true;
  const bool divides =
      operation == Operation::divide || operation == Operation::ceil_div || operation == Operation::remainder;
  PARITY_CHECK(!divides || b > 0, usage, "'{}' divides by {}; a divisor is at least 1", text_, b);
  switch (operation) {
    case Operation::add:
      fits = !__builtin_add_overflow(a, b, &result);
      break;
    case Operation::subtract:
      fits = !__builtin_sub_overflow(a, b, &result);
      break;
    case Operation::multiply:
      fits = !__builtin_mul_overflow(a, b, &result);
      break;
    case Operation::divide:
      return a / b;
    case Operation::remainder:
      return a % b;
    case Operation::ceil_div:
      return a / b + (a % b > 0 ? 1 : 0);
    case Operation::min:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
  PARITY_CHECK(fits, usage, "'{}' exceeds 64 bits", text_);
  return result;
}

int64_t IntegerExpression::value(const std::function<int64_t(const std::string& name)>& value_of) const {
  std::vector<int64_t> stack;
  const auto pop = [&] {
    const int64_t last = stack.back();
    stack.pop_back();
    return last;
  };
  for (const Term& term : terms_) {
    if (term.operation == Operation::number) {
      stack.push_back(term.number);
    } else if (term.operation == Operation::name) {
      stack.push_back(value_of(term.name));
    } else {
      const int64_t b = pop(), a = pop();
      stack.push_back(joined(term.operation, a, b));
    }
  }
  return stack.back();
}

}  // namespace parity::cases

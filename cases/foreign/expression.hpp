// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Integer expressions of a binding: "ceil_div(N * F, 256)".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace parity::cases {

/// What an expression may hold, in words for messages.
inline constexpr std::string_view kExpressionWords =
    "whole numbers, names, + - * / % and parentheses, min(a, b), max(a, b), ceil_div(a, b)";

/// Sums, products, quotients rounded towards zero, remainders, and functions of whole numbers and names. A name is that of an axis
/// or a parameter, or "x.stride[0]".
class IntegerExpression {
 public:
  /// Error{usage} for what is no expression, with the text and the place.
  explicit IntegerExpression(std::string_view text);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::vector<int64_t> numbers() const;
  /// Error{usage} for a division by zero and for what exceeds 64 bits.
  [[nodiscard]] int64_t value(const std::function<int64_t(const std::string& name)>& value_of) const;

 private:
  friend class ExpressionParser;
  enum class Operation : uint8_t { number, name, add, subtract, multiply, divide, remainder, min, max, ceil_div };
  /// In the order of evaluation: operands before what joins them.
  struct Term {
    Operation operation = Operation::number;
    int64_t number = 0;
    std::string name{};
  };
  [[nodiscard]] int64_t joined(Operation operation, int64_t a, int64_t b) const;

  std::string text_;
  std::vector<Term> terms_;
};

}  // namespace parity::cases

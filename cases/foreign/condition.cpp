// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/foreign/condition.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace parity::cases {
namespace {

constexpr std::string_view kMarks = "=!<>";

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

Condition::Condition(std::string_view text) : text_(trimmed(text)) {
  const size_t first = std::min(text_.find_first_of(kMarks), text_.size());
  const size_t end = std::min(text_.find_first_not_of(kMarks, first), text_.size());
  comparison_ = text_.substr(first, end - first);
  static const std::vector<std::string> kKnown{"==", "!=", "<", "<=", ">", ">="};
  PARITY_CHECK(std::find(kKnown.begin(), kKnown.end(), comparison_) != kKnown.end(), usage,
               "'{}' is not a condition; write two expressions with ==, !=, <, <=, > or >= between them", text_);
  for (const std::string& side : {text_.substr(0, first), text_.substr(end)}) sides_.emplace_back(trimmed(side));
}

std::vector<std::string> Condition::names() const {
  std::vector<std::string> names;
  for (const IntegerExpression& side : sides_) {
    const auto of = side.names();
    names.insert(names.end(), of.begin(), of.end());
  }
  return names;
}

std::vector<int64_t> Condition::numbers() const {
  std::vector<int64_t> numbers;
  for (const IntegerExpression& side : sides_) {
    const auto of = side.numbers();
    numbers.insert(numbers.end(), of.begin(), of.end());
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

bool Condition::holds(const std::function<int64_t(const std::string& name)>& value_of) const {
  const int64_t a = sides_[0].value(value_of), b = sides_[1].value(value_of);
  if (comparison_ == "==") return a == b;
  if (comparison_ == "!=") return a != b;
  if (comparison_ == "<") return a < b;
  if (comparison_ == "<=") return a <= b;
  return comparison_ == ">" ? a > b : a >= b;
}

}  // namespace parity::cases

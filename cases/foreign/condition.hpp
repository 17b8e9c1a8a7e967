// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a kernel requires of a call: "H % 8 == 0", "D == 128", "x.count <= 65536".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cases/foreign/expression.hpp"

namespace parity::cases {

/// Two expressions joined by ==, !=, <, <=, > or >=.
class Condition {
 public:
  /// Error{usage} for what is no condition, with the text.
  explicit Condition(std::string_view text);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::vector<std::string> names() const;
  /// The whole numbers that it is written with, ascending: 8 of "H % 8 == 0", and 0.
  [[nodiscard]] std::vector<int64_t> numbers() const;
  [[nodiscard]] bool holds(const std::function<int64_t(const std::string& name)>& value_of) const;

 private:
  std::string text_, comparison_;
  std::vector<IntegerExpression> sides_;
};

}  // namespace parity::cases

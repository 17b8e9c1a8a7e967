// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Names that a binding may use: axis letters, parameters, and strides, extents and counts of operands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/component.hpp"

namespace parity::cases {

/// "x.stride[1]": operand x, property stride, axis 1; "x.count" has no axis.
struct Property {
  std::string operand, property;
  size_t axis = 0;
};
[[nodiscard]] std::optional<Property> property_of(const std::string& name);
/// The axes as kernels of this tree see them: "N", "H", "AD", "2F"; "*" is N, all axes before.
[[nodiscard]] std::vector<std::string> tokens_of(const FieldInfo& field);
[[nodiscard]] constexpr bool is_axis_letter(char c) { return c >= 'A' && c <= 'Z'; }
/// The number that the whole text is.
[[nodiscard]] std::optional<double> number_in(const std::string& text);

/// The names of a component.
class CallNames {
 public:
  explicit CallNames(const Definition& definition);

  [[nodiscard]] const std::vector<std::string>& operands() const { return operands_; }
  /// Error{usage} with what is allowed, for what is no name of a whole number.
  void require(const std::string& name) const;
  /// The same, for what is neither a number nor a parameter.
  void require_real(const std::string& text) const;

 private:
  void require_property(const std::string& name) const;

  const Definition& definition_;
  std::vector<std::string> operands_, whole_, real_;
};

}  // namespace parity::cases

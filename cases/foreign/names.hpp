// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Names that a binding may use, of a component and in a call of it: axis letters, parameters, and strides, extents and
// counts of operands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/component.hpp"

namespace parity::cases {

/// Names without values.
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

/// Their values in one call. Axes before the last ones of an operand are folded: "*,H" is N rows of H.
class CallValues {
 public:
  /// The arguments must outlive this object. Error{internal} if axes cannot be folded without a copy.
  CallValues(const Definition& definition, const Arguments& inputs, const Arguments& outputs, const ParamMap& params);

  /// Error{unsupported} for a letter whose extent the call does not tell.
  [[nodiscard]] int64_t whole(const std::string& name) const;
  [[nodiscard]] double real(const std::string& text) const;
  /// The address of the first element; 0 for an optional operand that is absent.
  [[nodiscard]] uint64_t address(const std::string& operand) const;
  /// Error{internal}, which guards take for a refusal, unless the elements lie one behind the other.
  void require_contiguous(const std::string& operand) const;

 private:
  struct Folded {
    const std::byte* data = nullptr;
    Shape extent, stride;
  };
  void add(const FieldInfo& field, const Argument& argument);
  void learn(const std::string& token, int64_t extent);

  const Definition& definition_;
  const ParamMap& params_;
  std::map<std::string, Folded> operands_;
  std::map<std::string, int64_t> letters_;
  std::vector<std::pair<std::string, int64_t>> tokens_;  // "AD" with its extent
};

}  // namespace parity::cases

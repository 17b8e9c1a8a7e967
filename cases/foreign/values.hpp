// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Values of a binding's names in one call.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/component.hpp"

namespace parity::cases {

/// Axes before the last ones of an operand are folded: "*,H" is N rows of H.
class CallValues {
 public:
  /// The arguments must outlive this object. Error{internal} if axes cannot be folded without a copy.
  CallValues(const Definition& definition, const Arguments& inputs, const Arguments& outputs, const ParamMap& params);

  /// Error{unsupported} for a letter whose extent the call does not tell.
  [[nodiscard]] int64_t whole(const std::string& name) const;
  [[nodiscard]] double real(const std::string& text) const;
  /// Of all operands together.
  [[nodiscard]] int64_t elements() const;
  /// The address of the first element; 0 for an optional operand that is absent.
  [[nodiscard]] uint64_t address(const std::string& operand) const;
  /// Error{internal}, which guards take for a refusal, unless the elements are contiguous.
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

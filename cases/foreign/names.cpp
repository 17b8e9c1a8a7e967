// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/foreign/names.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/ranges.h>

#include "core/text.hpp"

namespace parity::cases {
namespace {

const FieldInfo* field_of(const Definition& definition, const std::string& name) {
  for (const auto* list : {&definition.inputs, &definition.outputs}) {
    for (const FieldInfo& field : *list) {
      if (field.name == name) return &field;
    }
  }
  return nullptr;
}

}  // namespace

std::optional<Property> property_of(const std::string& name) {
  const size_t dot = name.find('.'), open = name.find('[');
  if (dot == std::string::npos) return std::nullopt;
  Property result{name.substr(0, dot), name.substr(dot + 1, open == std::string::npos ? open : open - dot - 1)};
  if (result.property == "count") return open == std::string::npos ? std::optional(result) : std::nullopt;
  if (result.property != "stride" && result.property != "extent") return std::nullopt;
  if (open == std::string::npos || !name.ends_with(']')) return std::nullopt;
  const char* last = name.data() + name.size() - 1;
  const auto [stop, error] = std::from_chars(name.data() + open + 1, last, result.axis);
  return error == std::errc() && stop == last ? std::optional(result) : std::nullopt;
}

std::vector<std::string> tokens_of(const FieldInfo& field) {
  std::vector<std::string> tokens = split_axes(field.axes);
  for (std::string& token : tokens) token = token == "*" ? "N" : token;
  return tokens;
}

std::optional<double> number_in(const std::string& text) {
  double number = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

CallNames::CallNames(const Definition& definition) : definition_(definition) {
  const auto add = [](std::vector<std::string>& list, const std::string& name) {
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  };
  for (const auto* list : {&definition.inputs, &definition.outputs}) {
    for (const FieldInfo& field : *list) {
      operands_.push_back(field.name);
      for (const std::string& token : tokens_of(field)) {
        for (const char letter : token) {
          if (is_axis_letter(letter)) add(whole_, std::string(1, letter));
        }
      }
    }
  }
  for (const auto& [name, value] : definition.defaults)
    add(std::holds_alternative<double>(value) ? real_ : whole_, name);
}

void CallNames::require(const std::string& name) const {
  if (std::find(whole_.begin(), whole_.end(), name) != whole_.end()) return;
  if (name.find('.') != std::string::npos) return require_property(name);
  throw Error(
      ErrorCode::usage,
      fmt::format("{} has no extent or whole-number parameter '{}'{}; use {}, or stride[i], extent[i] or count of {}",
                  definition_.name, name, did_you_mean(name, whole_), fmt::join(whole_, ", "),
                  fmt::join(operands_, ", ")));
}

void CallNames::require_property(const std::string& name) const {
  const auto property = property_of(name);
  const FieldInfo* field = property ? field_of(definition_, property->operand) : nullptr;
  PARITY_CHECK(field != nullptr, usage, "'{}' is not a property of an operand; use stride[i], extent[i] or count of {}",
               name, fmt::join(operands_, ", "));
  const auto tokens = tokens_of(*field);
  PARITY_CHECK(property->axis < std::max<size_t>(tokens.size(), 1), usage,
               "'{}': there is no such axis; {} has the axes {}, numbered 0 to {}", name, field->name,
               fmt::join(tokens, ", "), std::ssize(tokens) - 1);
}

void CallNames::require_real(const std::string& text) const {
  const bool known = number_in(text).has_value() || std::find(real_.begin(), real_.end(), text) != real_.end();
  PARITY_CHECK(known, usage,
               "'{}' is neither a number nor a real-valued parameter of {}{}; its real-valued parameters: {}", text,
               definition_.name, did_you_mean(text, real_),
               real_.empty() ? "none" : fmt::format("{}", fmt::join(real_, ", ")));
}

}  // namespace parity::cases

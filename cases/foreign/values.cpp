// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/foreign/values.hpp"

#include <algorithm>

#include "cases/foreign/names.hpp"

namespace parity::cases {
namespace {

constexpr int64_t kSeveral = -1;  // operands disagree, as several leading axes may be folded

}  // namespace

CallValues::CallValues(const Definition& definition, const Arguments& inputs, const Arguments& outputs,
                       const ParamMap& params)
    : definition_(definition), params_(params) {
  for (size_t i = 0; i < inputs.size(); ++i) add(definition.inputs[i], inputs[i]);
  for (size_t i = 0; i < outputs.size(); ++i) add(definition.outputs[i], outputs[i]);
  for (const auto& [name, letter] : definition.extents) learn(std::string(1, letter), whole(name));
  // "AD" and "2F" tell a letter if they have one that is not known yet; each round finds one at least.
  for (size_t round = 0; round < tokens_.size(); ++round) {
    for (const auto& [token, extent] : tokens_) learn(token, extent);
  }
}

void CallValues::add(const FieldInfo& field, const Argument& argument) {
  PARITY_CHECK(argument.bank == nullptr && argument.tensors.size() <= 1, unsupported,
               "operand {} of {} is a list of tensors; a binding can pass only single tensors", field.name,
               definition_.name);
  Folded& folded = operands_[field.name];
  if (argument.tensors.empty() || argument.tensors.front().empty()) return;
  const TensorView& view = argument.tensors.front();
  const auto tokens = tokens_of(field);
  const auto axes = std::ssize(tokens), before = view.rank() - axes;
  PARITY_CHECK(before >= -1, internal, "operand {} has rank {}, its axes are {}", field.name, view.rank(), field.axes);
  folded.data = view.data;
  int64_t extent = 1, stride = 0;  // of what is folded
  for (int64_t axis = before; axis >= 0 && axis < view.rank(); --axis) {
    const auto at = static_cast<size_t>(axis);
    if (view.shape[at] == 1) continue;  // an extent of 1 needs no stride
    if (extent == 1) stride = view.strides[at];
    PARITY_CHECK(view.count() == 0 || view.strides[at] == stride * extent, internal,
                 "operand {}: axes {} of {} cannot be folded without a copy", field.name, axis,
                 parity::to_string(view.shape));
    extent *= view.shape[at];
  }
  if (extent == 1) {  // dense, whatever the view says
    stride = 1;
    for (int64_t axis = before + 1; axis < view.rank(); ++axis) stride *= view.shape[static_cast<size_t>(axis)];
  }
  for (int64_t i = 0; i < axes; ++i) {
    const auto at = static_cast<size_t>(before + i);
    folded.extent.push_back(i == 0 ? extent : view.shape[at]);
    folded.stride.push_back(i == 0 ? stride : view.strides[at]);
    tokens_.emplace_back(tokens[static_cast<size_t>(i)], folded.extent.back());
  }
}

void CallValues::learn(const std::string& token, int64_t extent) {
  std::string unknown;
  int64_t factor = 0;
  for (const char c : token) {
    if (c >= '0' && c <= '9') factor = factor * 10 + (c - '0');
  }
  int64_t known = std::max<int64_t>(factor, 1);
  for (const char c : token) {
    if (!is_axis_letter(c)) continue;
    const auto found = letters_.find(std::string(1, c));
    if (found != letters_.end()) {
      known *= found->second;
    } else if (!unknown.empty()) {
      return;
    } else {
      unknown = c;
    }
  }
  if (!unknown.empty() && known > 0) letters_[unknown] = extent / known;
  if (unknown.empty() && token.size() == 1 && is_axis_letter(token.front()) && known != extent)
    letters_[token] = kSeveral;
}

int64_t CallValues::whole(const std::string& name) const {
  if (const auto property = property_of(name)) {
    const Folded& folded = operands_.at(property->operand);
    if (folded.data == nullptr) return 0;
    if (property->property == "count") return element_count(folded.extent);
    return (property->property == "stride" ? folded.stride : folded.extent).at(property->axis);
  }
  if (const auto found = letters_.find(name); found != letters_.end()) {
    PARITY_CHECK(found->second != kSeveral, unsupported,
                 "axis {} of {} has different extents in the operands of this call; name the operand instead, as in "
                 "x.extent[0] for operand x",
                 name, definition_.name);
    return found->second;
  }
  const auto given = params_.find(name), standard = definition_.defaults.find(name);
  PARITY_CHECK(given != params_.end() || standard != definition_.defaults.end(), unsupported,
               "the operands of this call of {} do not give the extent of axis {}; use x.extent[i] of an operand",
               definition_.name, name);
  return std::visit([](auto value) { return static_cast<int64_t>(value); },
                    given != params_.end() ? given->second : standard->second);
}

double CallValues::real(const std::string& text) const {
  if (const auto number = number_in(text)) return *number;
  const auto given = params_.find(text);
  return std::visit([](auto value) { return static_cast<double>(value); },
                    given != params_.end() ? given->second : definition_.defaults.at(text));
}

int64_t CallValues::elements() const {
  int64_t elements = 0;
  for (const auto& [name, folded] : operands_) elements += folded.data == nullptr ? 0 : element_count(folded.extent);
  return elements;
}

uint64_t CallValues::address(const std::string& operand) const {
  return reinterpret_cast<uint64_t>(operands_.at(operand).data);
}

void CallValues::require_contiguous(const std::string& operand) const {
  const Folded& folded = operands_.at(operand);
  int64_t dense = 1;
  for (size_t axis = folded.extent.size(); axis-- > 0;) {
    const bool matters = folded.extent[axis] > 1 && element_count(folded.extent) > 0;
    PARITY_CHECK(!matters || folded.stride[axis] == dense, internal,
                 "operand {} is not contiguous, but the binding passes none of its strides to the kernel", operand);
    dense *= std::max<int64_t>(folded.extent[axis], 1);
  }
}

}  // namespace parity::cases

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <functional>
#include <limits>

#include "faults/values/value_damage.hpp"

namespace parity::faults::value_damage {
namespace {

/// Replaces the whole tap, or a slice, by values of another tensor.
void take(const Target& target, const std::vector<Tensor>& from, Choices& choices, Values& values) {
  const Frame frame(target);
  const Tensor& other = from[static_cast<size_t>(choices.below(static_cast<int64_t>(from.size())))];
  const Part part = some_part(frame, choices);
  for (int64_t i = 0; i < frame.count(); ++i) {
    if (part.holds(frame, i)) values[static_cast<size_t>(i)] = other.view().value(i);
  }
}

/// Renames the ids. An id of -1 means "none" and is kept.
void rename(Values& values, const std::function<double(double)>& name) {
  for (double& id : values) id = id < 0.0 ? id : name(id);
}

}  // namespace

void take_other(const Target& target, const ValueMaterial& material, Choices& choices, Values& values) {
  take(target, material.others, choices, values);
}

void take_input(const Target& target, const ValueMaterial& material, Choices& choices, Values& values) {
  take(target, material.inputs, choices, values);
}

void leave_nan(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  change(frame, some_part(frame, choices), values, [](double) { return std::numeric_limits<double>::quiet_NaN(); });
}

/// Fills memory with a byte pattern, like an allocator.
void leave_pattern(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const std::vector<int> bytes{0xCD, 0xAA, 0x5A, 0xFE};
  const auto byte =
      static_cast<std::byte>(bytes[static_cast<size_t>(choices.below(static_cast<int64_t>(bytes.size())))]);
  std::vector<std::byte> element(static_cast<size_t>(size_of(target.dtype)), byte);
  const double number = load_element(target.dtype, element.data());
  change(frame, some_part(frame, choices), values, [&](double) { return number; });
}

void ids_up(const Target&, const ValueMaterial&, Choices& choices, Values& values) {
  const double offset = choices.below(2) == 0 ? 1.0 : -1.0;
  rename(values, [&](double id) { return id + offset; });
}

void ids_exchanged(const Target&, const ValueMaterial&, Choices& choices, Values& values) {
  const auto most = static_cast<int64_t>(largest(values));
  const auto a = static_cast<double>(choices.below(most + 1)), b = static_cast<double>(choices.below(most + 1));
  rename(values, [&](double id) { return id == a ? b : id == b ? a : id; });
}

}  // namespace parity::faults::value_damage

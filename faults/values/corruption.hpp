// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Corruptions of recordings: how a tap is damaged so that a judge has to notice. Pure functions in a table.
#pragma once

#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/tensor.hpp"
#include "faults/values/draws.hpp"

namespace parity::faults {

/// A judged tap of a recording.
struct Target {
  std::string tap;
  std::string dataset;  // that records it
  std::string component;
  std::string field;  // of the component's outputs
  std::string axes;
  Shape shape;
  DType dtype = DType::f64;
  Judge judge = Judge::value;
  AxisSizes sizes;                  // of its call
  std::vector<std::string> others;  // the same tap of other layers, of equal shape and type
};

/// What a kind reads; the last two only for kinds that ask for them.
struct Material {
  Tensor recorded;   // as stored
  Tensor tolerance;  // f64, the judge's own, per element
  Tensor other;      // the same tap of another layer
};

enum class Needs : uint8_t { recorded, tolerance, other };

struct CorruptionKind {
  const char* name;  // "row-negated"
  const char* what;
  Needs needs;
  bool (*applies)(const Target&);
  void (*damage)(const Target&, const Material&, Draws&, Tensor& values);  // values: a copy of what is recorded
};

[[nodiscard]] const std::vector<CorruptionKind>& corruption_kinds();
[[nodiscard]] const CorruptionKind& find_corruption_kind(const std::string& name);  // Error{usage}, nearest name

/// The damaged tap, of the recorded type. May equal the recorded one: two equal rows swapped.
[[nodiscard]] Tensor corrupted(const CorruptionKind& kind, const Target& target, const Material& material,
                               Draws& draws);

}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Corruptions of recordings that a judge must notice: a table of pure functions.
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
  std::string dataset;  // dataset that records the tap
  std::string component;
  std::string field;  // output field of the component
  std::string axes;
  Shape shape;
  DType dtype = DType::f64;
  Judge judge = Judge::value;
  AxisSizes sizes;                  // extents of its call
  std::vector<std::string> others;  // taps of this name in other layers, of equal shape and type
};

/// Data that a kind of corruption reads. `tolerance` and `other` are filled only if `needs` asks for them.
struct Material {
  Tensor recorded;   // in the stored type
  Tensor tolerance;  // the judge's tolerance of each element, f64
  Tensor other;      // the tap of this name in another layer
};

enum class Needs : uint8_t { recorded, tolerance, other };

struct CorruptionKind {
  const char* name;  // such as "row-negated"
  const char* what;
  Needs needs;
  bool (*applies)(const Target&);
  void (*damage)(const Target&, const Material&, Draws&, Tensor& values);  // `values`: a copy of the recorded tap
};

[[nodiscard]] const std::vector<CorruptionKind>& corruption_kinds();
[[nodiscard]] const CorruptionKind& find_corruption_kind(const std::string& name);  // Error{usage}, nearest name

/// Returns the damaged tap in the recorded type. It may equal the recorded one, as when two equal rows are swapped.
[[nodiscard]] Tensor corrupted(const CorruptionKind& kind, const Target& target, const Material& material,
                               Draws& draws);

}  // namespace parity::faults

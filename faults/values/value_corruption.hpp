// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Damage with a known name: right values that are moved, scaled, rounded, stale …. It tests the naming of wrong values,
// and shares no code with the matcher (compare/values/value_match.hpp).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/judging/record.hpp"
#include "faults/values/corruption.hpp"

namespace parity::faults {

/// A sequence of choices: either drawn, or one of all possible sequences in turn.
class Choices {
 public:
  explicit Choices(uint64_t seed) : draws_(seed) {}
  /// Returns the first of all sequences: 0, 0, …
  [[nodiscard]] static Choices all() { return {}; }

  /// Returns a number in [0, limit).
  [[nodiscard]] int64_t below(int64_t limit);
  /// Moves to the next sequence. Returns false after the last. Only for objects of all().
  [[nodiscard]] bool next();

 private:
  Choices() = default;

  std::optional<Draws> draws_;
  std::vector<std::pair<int64_t, int64_t>> digits_;  // pairs of choice and limit
  size_t at_ = 0;
};

/// Recorded data that a kind of damage reads.
struct ValueMaterial {
  Tensor recorded;             // in the stored type
  std::vector<Tensor> others;  // taps of this name in other layers
  std::vector<Tensor> inputs;  // recorded inputs of the node with the tap's number of elements
};

struct ValueCorruption {
  const char* name;  // such as "shifted-kept"
  const char* what;
  compare::ValueKind kind;
  bool (*applies)(const Target&, const ValueMaterial&);
  void (*damage)(const Target&, const ValueMaterial&, Choices&, std::vector<double>& values);
};

[[nodiscard]] const std::vector<ValueCorruption>& value_corruptions();

/// Returns the damaged tap in the recorded type.
[[nodiscard]] Tensor damaged(const ValueCorruption& corruption, const Target& target, const ValueMaterial& material,
                             Choices& choices);

}  // namespace parity::faults

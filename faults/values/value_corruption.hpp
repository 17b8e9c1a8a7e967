// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Damage of known meaning: a tap whose values are the right ones moved, scaled, rounded, stale …, so that naming them can be
// counted. Shares no code with the matcher (compare/value_match.hpp) that it proves.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/record.hpp"
#include "faults/values/corruption.hpp"

namespace parity::faults {

/// Successive choices: drawn, or one after the other all that there are.
class Choices {
 public:
  explicit Choices(uint64_t seed) : draws_(seed) {}
  /// The first of all sequences of choices: 0, 0, …
  [[nodiscard]] static Choices all() { return {}; }

  /// 0 … limit - 1
  [[nodiscard]] int64_t below(int64_t limit);
  /// Goes on to the next sequence; false when there is none. Only of all().
  [[nodiscard]] bool next();

 private:
  Choices() = default;

  std::optional<Draws> draws_;
  std::vector<std::pair<int64_t, int64_t>> digits_;  // choice, limit
  size_t at_ = 0;
};

/// What a kind reads of the recording.
struct ValueMaterial {
  Tensor recorded;             // as stored
  std::vector<Tensor> others;  // the same tap of other layers
  std::vector<Tensor> inputs;  // recorded inputs of the node of as many elements
};

struct ValueCorruption {
  const char* name;  // "shifted-kept"
  const char* what;
  compare::ValueKind kind;
  bool (*applies)(const Target&, const ValueMaterial&);
  void (*damage)(const Target&, const ValueMaterial&, Choices&, std::vector<double>& values);
};

[[nodiscard]] const std::vector<ValueCorruption>& value_corruptions();

/// The damaged tap, of the recorded type.
[[nodiscard]] Tensor damaged(const ValueCorruption& corruption, const Target& target, const ValueMaterial& material,
                             Choices& choices);

}  // namespace parity::faults

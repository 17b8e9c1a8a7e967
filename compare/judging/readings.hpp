// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The ways in which a candidate may be right without the oracle's roundings. Each is a separate computation, compared
// under the usual rules. No way is fitted to the candidate's values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/rounding.hpp"
#include "replay/runs/variation.hpp"

namespace parity::compare {

constexpr int kDeepestFusion = 2;  // largest number of consecutive producers that a kernel may have fused

struct Reading {
  enum class By : uint8_t {
    exact,      // the exact value, rounded once; needs no further walk
    bounds,     // a sum rounds elsewhere: no bits are compared; the error is at most the oracle's
    variation,  // the node is computed again with the variation
  };
  By by = By::variation;
  replay::Variation variation;
  std::string kind;  // Deviation::kind
  std::string text;  // "rounds fewer times: not at scaled, sigmoid"
};

/// Facts about the node under judgement. `table` has the rounding rows of the plan and of the node.
struct ReadingsOf {
  const Node& node;
  const Definition& definition;
  RoundingTable table;
  bool narrow = false;                        // T is bf16 or f16, so binary32 is more precise
  bool fuses = false;                         // the producers of the inputs can be recomputed
  bool rounds_weights = false;                // weights of the node or a producer are published in a wider type than T
  bool oracles_roundings = false;             // the candidate claims the oracle's roundings: no other reading is tried
  double function_ulps = kCoarseLibraryUlps;  // allowed error of elementary functions; the candidate may state another
};

/// Returns the readings to try, likely and cheap ones first: rounded once; rounded at other points; some of the
/// oracle's roundings; published weights; inputs that a producer did not round; coarse elementary functions, and those
/// with rounding once. For a candidate that claims the oracle's roundings, only elementary functions vary.
[[nodiscard]] std::vector<Reading> readings_of(const ReadingsOf& what);

/// Returns how many neighbours in an output row share inner roundings (a head's softmax weights), or 0 for all.
[[nodiscard]] int64_t sharing_of(const Definition& definition, const std::string& axes, const AxisSizes& sizes);

}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// In which ways a candidate may be right without the oracle's roundings: each is another computation to hold it to, by
// the same rules. None is fitted to what the candidate has.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/rounding.hpp"
#include "replay/variation.hpp"

namespace parity::compare {

constexpr int kDeepestFusion = 2;  // producers in a row that a kernel may have fused

struct Reading {
  enum class By : uint8_t {
    exact,  // the exact value, rounded once: needs no walk
    bounds,  // roundings at other places, for a sum over terms: bits are not compared, but the error is at most the oracle's
    variation,  // the node computed again
  };
  By by = By::variation;
  replay::Variation variation;
  std::string kind;  // of Deviation
  std::string text;  // "rounds fewer times: not at scaled, sigmoid"
};

/// What the judgement asks of the node; `table` holds the rows of the plan and of the node.
struct ReadingsOf {
  const Node& node;
  const Definition& definition;
  RoundingTable table;
  bool narrow = false;                        // T is bf16 or f16: binary32 inside is more than T
  bool fuses = false;                         // producers of the inputs can be computed again
  bool rounds_weights = false;                // the node's, or a producer's, are published in a wider type than T
  bool oracles_roundings = false;             // the candidate claims them: no others are tested
  double function_ulps = kCoarseLibraryUlps;  // what elementary functions may err by; the candidate may state another
};

/// Readings, those that kernels are likely to have and that cost least first: rounded once; at other places; some of the
/// oracle's roundings; weights as they are published; inputs that a producer never rounded; coarse elementary functions; each of the last two rounded once.
/// Of a candidate that claims the oracle's roundings, elementary functions alone.
[[nodiscard]] std::vector<Reading> readings_of(const ReadingsOf& what);

/// Neighbours in a row of the output that have inner roundings in common, softmax weights of a head; 0: the whole row.
[[nodiscard]] int64_t sharing_of(const Definition& definition, const std::string& axes, const AxisSizes& sizes);

}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One node computed in another way that is right, too: with fewer roundings, on inputs that were never rounded, or by a
// library of coarser elementary functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "replay/evaluator.hpp"
#include "replay/tap_source.hpp"

namespace parity::replay {

struct Variation {
  std::vector<std::string> widened;     // rounding points of the component that keep binary32
  double function_ulps = kLibraryUlps;  // error of elementary functions
  std::string unrounded;                // input field whose producer's result is not rounded; empty: none
  int depth = 1;                        // number of consecutive producers, for `unrounded`
  bool published = false;               // weights, those of producers too, as the checkpoint publishes them
};

/// Whether the node, or one of `depth` producers in a row before it, multiplies by weights that the oracle rounded to T.
[[nodiscard]] bool rounds_weights(const Evaluator& evaluator, const Node& node, int depth);

/// The node under a variation; owns what its outcome points to.
struct Varied {
  Node node;
  Environment taps;
  Outcome outcome;
};

/// Computes `outcome`'s node again, on `taps`, with the decisions that `outcome` was continued with. Producers read
/// `inputs`. Nothing where the variation does not apply: no such producer, or its inputs are not available.
[[nodiscard]] std::unique_ptr<Varied> varied(const Evaluator& evaluator, const TapSource& inputs,
                                             const Environment& taps, const Outcome& outcome,
                                             const Variation& variation);

}  // namespace parity::replay

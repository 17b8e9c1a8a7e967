// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Computes one node in another correct way: with fewer roundings, on inputs that were never rounded, or with a library
// of coarser elementary functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "replay/captures/tap_source.hpp"
#include "replay/runs/evaluator.hpp"

namespace parity::replay {

struct Variation {
  std::vector<std::string> widened;     // rounding points of the component that keep binary32
  double function_ulps = kLibraryUlps;  // error of elementary functions
  std::string unrounded;                // input field whose producer's result is not rounded; empty: none
  int depth = 1;                        // number of consecutive producers, for `unrounded`
  bool published = false;               // uses weights, also of producers, as the checkpoint publishes them
};

/// Whether the node, or one of `depth` consecutive producers, multiplies by weights that the oracle rounded to T.
[[nodiscard]] bool rounds_weights(const Evaluator& evaluator, const Node& node, int depth);

/// The node under a variation. Owns the data that `outcome` points to.
struct Varied {
  Node node;
  Environment taps;
  Outcome outcome;
};

/// Computes the node of `outcome` again on `taps`, with the decisions with which `outcome` was continued. Producers
/// read `inputs`. Returns nullptr if the variation does not apply: no such producer, or its inputs are not available.
[[nodiscard]] std::unique_ptr<Varied> varied(const Evaluator& evaluator, const TapSource& inputs,
                                             const Environment& taps, const Outcome& outcome,
                                             const Variation& variation);

}  // namespace parity::replay

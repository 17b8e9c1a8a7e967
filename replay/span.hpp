// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Spans: the smallest convex sets of nodes between what is recorded. With everything recorded, each is one node.
#pragma once

#include <string>
#include <vector>

#include "core/plan.hpp"
#include "replay/tap_source.hpp"

namespace parity::replay {

struct Span {
  std::vector<int> nodes;           // in plan order; the last one owns the judged outputs
  std::vector<std::string> inputs;  // taps read from the source of inputs
  std::vector<std::string> judged;  // recorded outputs of the last node
};

/// One span per node with a recorded output: that node and all nodes between it and available taps. An inner node
/// whose result several recorded nodes need belongs to the span of each: every verdict is about one recorded node.
/// Error{not_found} when an input of the plan itself (tokens/) is missing.
[[nodiscard]] std::vector<Span> build_spans(const Plan& plan, const Sources& sources);

}  // namespace parity::replay

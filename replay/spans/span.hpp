// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Spans: the smallest convex sets of nodes between recorded taps. If everything is recorded, each is one node.
#pragma once

#include <string>
#include <vector>

#include "core/plan.hpp"
#include "replay/captures/tap_source.hpp"

namespace parity::replay {

struct Span {
  std::vector<int> nodes;           // in plan order; the last node has the judged outputs
  std::vector<std::string> inputs;  // taps read from the source of inputs
  std::vector<std::string> judged;  // recorded outputs of the last node
};

/// Returns one span per node with a recorded output: that node and all nodes between it and available taps. An inner
/// node may belong to several spans, so that every verdict is about one recorded node. Throws Error{not_found} if an
/// input of the plan itself (tokens/) is missing.
[[nodiscard]] std::vector<Span> build_spans(const Plan& plan, const Sources& sources);

}  // namespace parity::replay

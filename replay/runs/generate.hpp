// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Greedy generation: the most likely word of each call is the next call's token.
#pragma once

#include "core/plan.hpp"
#include "core/registry.hpp"
#include "core/weights.hpp"

namespace parity::replay {

struct Generation {
  Tensor tokens;               // (B, calls of the plan) i64
  double smallest_lead = 0.0;  // smallest margin of a chosen word's logit over the next; 0: a tie, the first wins
};

/// Generates with the oracle's roundings. `plan` is the prefill of `prompt` (B, S), then calls of one token each.
[[nodiscard]] Generation generate(const Plan& plan, const Registry& registry, const WeightSource& weights,
                                  const Tensor& prompt);

}  // namespace parity::replay

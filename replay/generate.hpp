// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Greedy generation: every call's most likely word is the next call's token.
#pragma once

#include "core/plan.hpp"
#include "core/registry.hpp"
#include "core/weights.hpp"

namespace parity::replay {

struct Generation {
  Tensor tokens;               // (B, calls of the plan) i64
  double smallest_lead = 0.0;  // of a chosen word's logit over the second; 0: a tie, where the first word is taken
};

/// `plan`: the prefill of `prompt` (B, S), then calls of one token each; as the oracle rounds.
[[nodiscard]] Generation generate(const Plan& plan, const Registry& registry, const WeightSource& weights,
                                  const Tensor& prompt);

}  // namespace parity::replay

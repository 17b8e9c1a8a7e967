// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A MiniMax-M3 text decoder small enough to read, for tests of plans.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/plans/m3_text.hpp"

namespace parity {

/// Layer 0: dense attention, dense MLP; layer 1: sparse attention, experts; layer 2: dense attention, experts.
inline M3TextConfig tiny_m3() {
  M3TextConfig c;
  c.vocab_size = 19;
  c.hidden_size = 6;
  c.intermediate_size = 5;
  c.dense_intermediate_size = 7;
  c.shared_intermediate_size = 3;
  c.num_hidden_layers = 3;
  c.num_attention_heads = 4;
  c.num_key_value_heads = 2;
  c.head_dim = 8;
  c.num_local_experts = 4;
  c.num_experts_per_tok = 2;
  c.index_n_heads = 2;
  c.index_head_dim = 6;
  c.index_block_size = 2;
  c.index_topk_blocks = 2;
  c.partial_rotary_factor = 0.5;
  c.sparse_attention = {false, true, false};
  c.mixture_of_experts = {false, true, true};
  return c;
}

/// Prefill of 5 tokens with labels, then one more token.
inline PlanRequest two_calls(const std::string& profile = "hf-5.12.0") {
  PlanRequest request;
  request.profile = profile;
  request.calls = {{"000", 2, 5, 5, true, true}, {"001", 2, 1, 6, false, false}};
  return request;
}

inline const Node& node_at(const Plan& plan, const std::string& prefix) {
  const auto found =
      std::find_if(plan.nodes.begin(), plan.nodes.end(), [&](const Node& n) { return n.prefix == prefix; });
  if (found == plan.nodes.end()) throw std::out_of_range("no node at " + prefix);
  return *found;
}

}  // namespace parity

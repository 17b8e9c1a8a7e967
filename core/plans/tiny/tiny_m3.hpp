// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A MiniMax-M3 text decoder small enough to read, for tests of plans.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/plans/m3/m3_text.hpp"
#include "core/plans/tiny/tiny_configs.hpp"

namespace parity {

inline M3TextConfig tiny_m3() { return parse_m3_text_config(tiny_config("minimax_m3_vl")); }

/// A request for a prefill of 5 tokens with labels, then one call with one token.
inline PlanRequest two_calls(const std::string& profile = "hf-5.12.0") {
  PlanRequest request;
  request.profile = profile;
  request.calls = {{"000", 2, 5, 5, true, true, {}}, {"001", 2, 1, 6, false, false, {}}};
  return request;
}

/// The request of two_calls(), with two images and a video in the prefill.
inline PlanRequest two_calls_with_media(const std::string& profile = "hf-5.12.0") {
  PlanRequest request = two_calls(profile);
  request.calls[0].media = {{"image", 8, 2}, {"video", 8, 1}};
  return request;
}

inline const Node& node_at(const Plan& plan, const std::string& prefix) {
  const auto found =
      std::find_if(plan.nodes.begin(), plan.nodes.end(), [&](const Node& n) { return n.prefix == prefix; });
  if (found == plan.nodes.end()) throw std::out_of_range("no node at " + prefix);
  return *found;
}

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Plan builder for the text decoder of MiniMax-M3.
#pragma once

#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/plans/m3_config.hpp"
#include "core/plans/profile.hpp"

namespace parity {

/// One forward call; all calls of a plan share one cache.
struct Call {
  std::string id;         // "000"
  int64_t batch = 1;      // B
  int64_t tokens = 1;     // S, new in this call
  int64_t keys = 1;       // K, slots after this call
  bool labels = false;    // the loss is computed
  bool aux_loss = false;  // … and the router's auxiliary loss with it
};

struct PlanRequest {
  std::string profile = "hf-5.12.0";
  std::string attention = "eager";
  DType working = DType::bf16;
  std::vector<Call> calls;
};

[[nodiscard]] Plan build_m3_text_plan(const M3TextConfig& config, const PlanRequest& request);

}  // namespace parity

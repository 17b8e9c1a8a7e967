// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What NVIDIA NeMo Automodel reads of a MiniMax-M3 configuration in addition to transformers.
#pragma once

#include "core/plans/m3_config.hpp"

namespace parity {

struct NemoM3Config {
  M3TextConfig text;
  int64_t rotary_width = 0;   // rotary_dim, unless rope_parameters say otherwise
  double gain_offset = 1.0;   // of all norms; 0 without use_gemma_norm
  int64_t init_blocks = 0;    // forced in addition to the query's own
  int64_t local_blocks = 1;   // 0 or 1: a switch, not a number
  int64_t mtp_depths = 0;     // modules that predict further tokens
  double swiglu_limit = 7.0;  // infinity where the limit is 0 or less
};

/// Error{unsupported} for what NeMo refuses or what no golden shows.
[[nodiscard]] NemoM3Config parse_nemo_m3_config(const nlohmann::json& config);

}  // namespace parity

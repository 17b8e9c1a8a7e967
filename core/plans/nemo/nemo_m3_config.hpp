// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The keys of a MiniMax-M3 configuration that NVIDIA NeMo Automodel reads in addition to transformers.
#pragma once

#include "core/plans/m3/m3_config.hpp"

namespace parity {

struct NemoM3Config {
  M3TextConfig text;
  int64_t rotary_width = 0;   // rotary_dim, unless rope_parameters override it
  double gain_offset = 1.0;   // of all norms; 0 if use_gemma_norm is off
  int64_t init_blocks = 0;    // leading blocks that are always chosen, as the query's block is
  int64_t local_blocks = 1;   // 0 or 1: a switch, not a number
  int64_t mtp_depths = 0;     // modules that predict further tokens
  double swiglu_limit = 7.0;  // infinity where the limit is 0 or less
};

/// Reads a config.json. Throws Error{unsupported} for what NeMo refuses and for what no golden contains.
[[nodiscard]] NemoM3Config parse_nemo_m3_config(const nlohmann::json& config);

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "optimized/cpu/level.hpp"

namespace parity::cpu {

/// Routes tokens [first, last). Rows of scores are contiguous.
struct RouterRows {
  const float* logits;                                                                                         // (N, E)
  const float* bias;                                                                                              // (E)
  const int64_t* forced;                                                                               // (N, T) or null
  float* scores;                                                                                               // (N, E)
  float* choice;                                                                                               // (N, E)
  int64_t* indices;                                                                                            // (N, T)
  float* weights;                                                                                              // (N, T)
  int64_t first, last, experts, slots, top_k;
  int64_t logit_row, forced_row, score_row, choice_row, index_row, weight_row;  // strides
  float eps, scaling;
};

PARITY_CPU_FUNCTION(router_rows, RouterRows)

}  // namespace parity::cpu

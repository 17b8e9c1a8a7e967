// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Routed experts of one call, as moe_experts.cu is given them.
#pragma once

#include "optimized/cuda/experts/routed.hpp"

namespace parity::optimized::cuda {

struct ExpertsParameters {
  Routed routed;
  Rows x, weights, out;                                                                        // (N, H), (N, T), (N, H)
  const void* const* gate_up;    // E x (2F, H)
  const void* const* down;       // E x (H, F)
  void* slot_activation;                                                            // (N, T, F), null where nobody asks
  float* slot_weighted;                                                             // (N, T, H), null where nobody asks
  void* active;                  // (positions, F)
  void* addends;                 // (positions, H)
  int64_t tokens, width, inner;  // N, H, F
  float alpha, limit, offset;
  int32_t vectors[2];  // of the members of gate_up and down
  bool rounds_hidden, rounds_scaled, rounds_sigmoid, rounds_gated, rounds_shifted, rounds_down;
};

}  // namespace parity::optimized::cuda

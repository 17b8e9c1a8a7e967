// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Routed experts of one call, as moe_experts_sm90.cu is given them.
#pragma once

#include "optimized/cuda/experts/moe_experts.hpp"
#include "optimized/cuda/group_block.hpp"
#include "optimized/cuda/tensor_map.hpp"

namespace parity::optimized::cuda {

constexpr int kExpertBoxRows = 128;                       // of a weight
constexpr int kExpertPositions = 128, kExpertStages = 4;  // of a block

struct ExpertsSm90Parameters {
  TensorMap x, active;              // boxes of 64 channels of 64 positions
  const TensorMap *gate_up, *down;  // E each: boxes of 64 channels of kExpertBoxRows rows
  void* gathered;                   // (positions, H): rows of x in the order of experts
  ExpertsParameters of;
};

}  // namespace parity::optimized::cuda

#ifndef __CUDACC__

#include "optimized/cuda/experts/routing.hpp"

namespace parity::optimized::cuda {

/// Whether the place runs these kernels and the call is one that they take: bf16, rows that begin at multiples of 16 bytes.
/// Then the tiles of `routed` have kExpertPositions.
[[nodiscard]] bool takes_experts_sm90(const ExpertsParameters& p, const Members& gate_up, const Members& down,
                                      const Context& context);
/// Of a call that is taken, after its slots are placed. The addends of all slots are left to be summed.
void start_experts_sm90(const ExpertsParameters& p, const Members& gate_up, const Members& down,
                        const Context& context);

}  // namespace parity::optimized::cuda

#endif

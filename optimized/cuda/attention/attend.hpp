// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Starts the kernels of attention.cu.
#pragma once

#include "optimized/attention_operands.hpp"
#include "optimized/cuda/attention/attention.hpp"
#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {

/// Rows that a block of threads takes.
enum class BlockRows : uint8_t {
  by_overlap,  // of several tokens, which share what is loaded; with lists only where these have enough in common
  shared,      // of several tokens, whatever their lists have in common
  least,       // those of one matrix instruction: in M3 one token's query heads of a key head
};

/// Operands with any strides; at most 256 channels. Without `causal` every row sees all slots.
template <class T>
void attend(const AttentionOperands<T>& operands, bool causal, const Context& context, Workspace& workspace,
            BlockRows rows = BlockRows::by_overlap);

}  // namespace parity::optimized::cuda

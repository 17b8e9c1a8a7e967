// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attention of one call, as attention_sm90.cu is given it.
#pragma once

#include "optimized/cuda/attention/attention.hpp"
#include "optimized/cuda/group_block.hpp"
#include "optimized/cuda/tensor_map.hpp"

namespace parity::optimized::cuda {

struct AttentionSm90Parameters {
  TensorMap q, k, v;  // boxes of 64 channels: of 64 rows (token, head), of 64 slots
  AttentionParameters of;
};

constexpr int kUnionRows = 128, kUnionStages = 4;
constexpr int kMostUnion = 1024;      // entries of the lists of a block's tokens
constexpr int kMostUnionTokens = 64;  // of a block, where there are lists

/// Of a warpgroup: as copied, and with the 16 bytes between rows of the output that is staged there.
constexpr int union_query_bytes(int width) { return (kUnionRows / 2 * (2 * width + 16) + 1023) / 1024 * 1024; }

}  // namespace parity::optimized::cuda

#ifndef __CUDACC__

#include "optimized/cuda/attention/attend.hpp"

namespace parity::optimized::cuda {

/// Whether the place runs these kernels and the call is one of many rows that they take: at most 128 channels, query heads
/// of a key head that are a power of two.
[[nodiscard]] bool takes_sm90(const AttentionOperands<BFloat16>& x, const AttentionParameters& p,
                              const Context& context);
[[nodiscard]] inline bool takes_sm90(const AttentionOperands<float>&, const AttentionParameters&, const Context&) {
  return false;
}
/// `p` with its splits, of a call that is taken.
void start_sm90(const AttentionOperands<BFloat16>& x, const AttentionParameters& p, const Context& context);
inline void start_sm90(const AttentionOperands<float>&, const AttentionParameters&, const Context&) {}

}  // namespace parity::optimized::cuda

#endif

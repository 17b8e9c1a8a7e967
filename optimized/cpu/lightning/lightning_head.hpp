// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The interface between the driver of lightning attention (lightning_attention.cpp) and its inner loops
// (simd/lightning*.cpp): one head of one sequence, block by block without a past, token by token after a past.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "optimized/cpu/level.hpp"

namespace parity::cpu {

inline constexpr int64_t kLightningWindow = 64;  // rows of a block whose weights are stored at once
inline constexpr int64_t kLightningPad =
    32;  // rows and columns of scratch memory are padded to whole vectors and to tiles of pairs
/// Decayed values are multiplied by this, and their sums divided: subnormals are slow, and zero to BF16 dot products.
inline constexpr float kLightningGrowth = 0x1p48F, kLightningStateGrowth = 0x1p16F;
inline constexpr float kLightningPlain = 0x1p12F;  // operands below this cannot make sums overflow after growing

[[nodiscard]] inline int64_t lightning_padded(int64_t count) {
  return (count + kLightningPad - 1) / kLightningPad * kLightningPad;
}

/// Where values are rounded to BF16, one member for each rounding point.
struct LightningRounds {
  bool score = false, decayed_score = false, query = false, key = false, intra = false, inter = false,
       increment = false, decayed_state = false, state = false, read_state = false;
};

/// Rows of the type in which a state is stored: `single` or `half` is set, or neither if the state is not asked for.
struct KeptRows {
  float* single = nullptr;
  BFloat16* half = nullptr;
  int64_t stride = 0;
};

/// The rows of one head, with contiguous channels.
template <class T>
struct TokenRows {
  T* data;
  int64_t stride;  // elements from one token to the next

  [[nodiscard]] T* row(int64_t token) const { return data + token * stride; }
};

/// A block of one head. Matrices are stored in panels of (columns / lanes, steps, lanes) words. A word is a float or,
/// with `pairs`, two BF16 of neighbouring channels or tokens.
template <class T>
struct LightningBlock {
  TokenRows<const T> q, k, v;  // from the block's first token on
  TokenRows<T> out;
  KeptRows intra, inter;
  int64_t tokens, width;     // channels
  int64_t next;              // tokens of the next block, which are prefetched
  const float* query_decay;  // (tokens)
  const float* key_decay;    // (tokens)
  const float* diagonal;     // (tokens, lightning_padded(Q)), grown; zeros after the columns
  int64_t diagonal_row;      // elements
  const int64_t *from, *to;  // by row of `diagonal`: columns outside [from, to) are zero
  float decay;               // decay of the state over the block
  LightningRounds round;
  bool plain;                          // every operand is below kLightningPlain: it may grow, and 0 times it is 0
  bool pairs;                          // multiply pairs of BF16, if the level does
  int64_t first, last;                 // rows, channels or panels of this call
  float *keys, *values;                // scratch panels with tokens and channels as columns
  float *state, *state_pairs;          // the state in panels: keys x values
  float *queries, *decayed, *weights;  // scratch of one thread, kLightningWindow rows
};

/// Prepares a head's decays (count, count) for a block: grown, with each row's nonzero range. Sets *finite.
template <class Table>
struct LightningDecays {
  const Table* table;
  int64_t table_row, count;
  float* diagonal;
  int64_t diagonal_row;
  int64_t *from, *to;
  bool* finite;
};

/// Sets *plain: whether every element of the rows is small enough to grow.
template <class T>
struct LightningScan {
  TokenRows<const T> rows;
  int64_t tokens, width;
  bool* plain;
};

/// Computes tokens after a past, for channels [first, last) of the values.
template <class T>
struct LightningTokens {
  TokenRows<const T> q, k, v;
  TokenRows<T> out;
  KeptRows past, state;  // before and after the tokens; the same memory from the second token on
  int64_t tokens, width, first, last;
  float decay;
  LightningRounds round;
};

/// Copies a state from panels to rows.
struct LightningKeep {
  const float* state;
  KeptRows rows;
  int64_t width;
};

PARITY_CPU_FUNCTION(lightning_scan_f32, LightningScan<float>)
PARITY_CPU_FUNCTION(lightning_scan_bf16, LightningScan<BFloat16>)
PARITY_CPU_FUNCTION(lightning_decays_f32, LightningDecays<float>)
PARITY_CPU_FUNCTION(lightning_decays_bf16, LightningDecays<BFloat16>)
PARITY_CPU_FUNCTION(lightning_pack_f32,
                    LightningBlock<float>)  // panels [first, last): first those of keys, then those of values
PARITY_CPU_FUNCTION(lightning_pack_bf16, LightningBlock<BFloat16>)
PARITY_CPU_FUNCTION(lightning_rows_f32, LightningBlock<float>)  // rows [first, last) of the output
PARITY_CPU_FUNCTION(lightning_rows_bf16, LightningBlock<BFloat16>)
PARITY_CPU_FUNCTION(lightning_state_f32,
                    LightningBlock<float>)  // channels [first, last) of the keys: the state after the block
PARITY_CPU_FUNCTION(lightning_state_bf16, LightningBlock<BFloat16>)
PARITY_CPU_FUNCTION(lightning_tokens_f32, LightningTokens<float>)
PARITY_CPU_FUNCTION(lightning_tokens_bf16, LightningTokens<BFloat16>)
PARITY_CPU_FUNCTION(lightning_keep, LightningKeep)

}  // namespace parity::cpu

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the driver of lightning attention (lightning_attention.cpp) and its inner loops (simd/lightning*.cpp) say to each other: one
// head of one sequence, block by block without a past, token by token after one.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "optimized/cpu/level.hpp"

namespace parity::cpu {

inline constexpr int64_t kLightningWindow = 64;  // rows of a block whose weights are held at a time
inline constexpr int64_t kLightningPad =
    32;  // rows and columns of scratch memory come in whole vectors, and tiles of pairs
/// What has decayed is multiplied by this and its sums divided again: subnormal numbers are slow, and nothing to BF16 dot products.
inline constexpr float kLightningGrowth = 0x1p48F, kLightningStateGrowth = 0x1p16F;
inline constexpr float kLightningPlain = 0x1p12F;  // with smaller operands no sum overflows for that

[[nodiscard]] inline int64_t lightning_padded(int64_t count) {
  return (count + kLightningPad - 1) / kLightningPad * kLightningPad;
}

/// Where values are rounded to BF16.
struct LightningRounds {
  bool score = false, decayed_score = false, query = false, key = false, intra = false, inter = false,
       increment = false, decayed_state = false, state = false, read_state = false;
};

/// Rows of the type in which a state is kept: one of the two, or neither when nobody asks.
struct KeptRows {
  float* single = nullptr;
  BFloat16* half = nullptr;
  int64_t stride = 0;
};

/// Rows of one head, channels contiguous.
template <class T>
struct TokenRows {
  T* data;
  int64_t stride;  // elements from one token to the next

  [[nodiscard]] T* row(int64_t token) const { return data + token * stride; }
};

/// A block of one head. Matrices are held in panels: (columns / lanes, steps, lanes) words, a word being a float or, with
/// `pairs`, two BF16 of neighbouring steps.
template <class T>
struct LightningBlock {
  TokenRows<const T> q, k, v;  // from the block's first token
  TokenRows<T> out;
  KeptRows intra, inter;
  int64_t tokens, width;     // channels
  int64_t next;              // tokens of the next block, to be prefetched
  const float* query_decay;  // (tokens)
  const float* key_decay;    // (tokens)
  const float* diagonal;     // (tokens, lightning_padded(Q)), grown; zeros after the columns
  int64_t diagonal_row;      // elements
  const int64_t *from, *to;  // by row of `diagonal`: columns outside hold nothing but zeros
  float decay;               // of the state, over the block
  LightningRounds round;
  bool plain;                          // every operand is below kLightningPlain: may grow, and zero times it is zero
  bool pairs;                          // multiply pairs of BF16, where the level does
  int64_t first, last;                 // rows, channels or panels that a call is for
  float *keys, *values;                // scratch: panels, columns are tokens and channels
  float *state, *state_pairs;          // panels of the state: keys x values
  float *queries, *decayed, *weights;  // scratch of one thread: kLightningWindow rows
};

/// The decays of one head's tokens, (count, count), as a block reads them: grown, whether *finite, where rows are not zero.
template <class Table>
struct LightningDecays {
  const Table* table;
  int64_t table_row, count;
  float* diagonal;
  int64_t diagonal_row;
  int64_t *from, *to;
  bool* finite;
};

/// Sets *plain.
template <class T>
struct LightningScan {
  TokenRows<const T> rows;
  int64_t tokens, width;
  bool* plain;
};

/// Tokens after a past, channels [first, last) of the values.
template <class T>
struct LightningTokens {
  TokenRows<const T> q, k, v;
  TokenRows<T> out;
  KeptRows past, state;  // what is before and after the tokens; one and the same from the second on
  int64_t tokens, width, first, last;
  float decay;
  LightningRounds round;
};

/// Copies a state between panels and rows.
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
                    LightningBlock<float>)  // panels [first, last): those of keys, then those of values
PARITY_CPU_FUNCTION(lightning_pack_bf16, LightningBlock<BFloat16>)
PARITY_CPU_FUNCTION(lightning_rows_f32, LightningBlock<float>)  // rows [first, last): what they put out
PARITY_CPU_FUNCTION(lightning_rows_bf16, LightningBlock<BFloat16>)
PARITY_CPU_FUNCTION(lightning_state_f32,
                    LightningBlock<float>)  // channels [first, last) of the keys: the state after the block
PARITY_CPU_FUNCTION(lightning_state_bf16, LightningBlock<BFloat16>)
PARITY_CPU_FUNCTION(lightning_tokens_f32, LightningTokens<float>)
PARITY_CPU_FUNCTION(lightning_tokens_bf16, LightningTokens<BFloat16>)
PARITY_CPU_FUNCTION(lightning_keep, LightningKeep)

}  // namespace parity::cpu

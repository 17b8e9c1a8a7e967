// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The interface of attention's driver (attention.hpp) to its inner loops (simd/attention.cpp). The query heads of
// one key head and their tokens form rows in the order (token, head). The lanes of a vector are neighbouring rows.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "optimized/cpu/level.hpp"

namespace parity::cpu {

inline constexpr int64_t kWindowVectors = 64;   // most vectors that read the keys together
inline constexpr int64_t kMostChunkKeys = 256;  // most keys in one call of step()
inline constexpr int64_t kGroupVectors = 4;     // most vectors that are computed together
inline constexpr int64_t kScoreVectors = 6;     // vectors whose scores of a longest chunk are stored at once
inline constexpr int64_t kPanel = 16;           // contiguous channels of packed values
inline constexpr int64_t kMostLanes = 16;

/// Returns the number of floats in a vector at the level in use.
[[nodiscard]] inline int64_t attention_lanes() { return level() == Level::avx2 ? 8 : 16; }

/// Returns the number of vectors in a window at the level in use, a multiple of the group.
template <class T>
[[nodiscard]] inline int64_t attention_vectors() {
  return level() == Level::amx_bf16 && sizeof(T) < sizeof(float) ? kWindowVectors : 18;
}

/// Returns the number of keys in a chunk; longer chunks read and write sums less often, which limits fast products.
template <class T>
[[nodiscard]] inline int64_t attention_chunk_keys() {
  return level() == Level::amx_bf16 && sizeof(T) < sizeof(float) ? kMostChunkKeys : kMostChunkKeys / 2;
}

/// The elements of one key head, row by row.
template <class T>
struct HeadRows {
  const T* data;
  int64_t stride;  // elements from one slot to the next

  [[nodiscard]] const T* row(int64_t slot) const { return data + slot * stride; }
};

/// Rows [first, first + rows) of one key head, and their softmax so far. A 32-bit word is a float or a pair of BF16.
template <class T>
struct AttentionWindow {
  const T* q;  // the first query head of the group, in one row of the batch
  int64_t q_token, q_head, q_channel;
  T* out;
  int64_t out_token, out_head;
  int64_t heads;  // query heads of the group
  int64_t first, rows, vectors;
  int64_t width;     // channels
  float exponent;    // scale / ln 2: a weight is 2 to the power of score * exponent - reference
  float* queries;    // (vectors, words of channels, lanes)
  float* mixed;      // (vectors, channels, lanes) weighted sums of values
  float* reference;  // (vectors, lanes) the score that gives weight one
  float* total;      // (vectors, lanes) sums of weights
  float* scores;     // (kScoreVectors, kMostChunkKeys, lanes) scratch
};

/// The keys and values of a chunk, in place or packed for the inner loops.
template <class T>
struct PackedChunk {
  HeadRows<T> k, v;  // from the chunk's first slot on
  int64_t count;     // slots
  int64_t width;
  float* keys;    // memory for (count, words of channels), if keys are not read in place
  float* values;  // memory for (panels, words of slots, kPanel)
  bool ahead;     // keys and values are packed already
  bool* special;  // if `ahead`: whether a value is infinite or NaN
};

/// One call of the inner loops: the vectors of a window that see some slot of a chunk.
template <class T>
struct AttentionStep {
  AttentionWindow<T> window;
  PackedChunk<T> chunk;
  const PackedChunk<T>* next;      // the next chunk of the window, packed already; null: none
  const int64_t* limits;           // per vector: slots that some lane sees, from the chunk's first; 0 skips the vector
  const uint16_t* const* visible;  // per vector: lanes that see each slot below the limit; null: all of them
};

[[nodiscard]] inline int64_t rounded_up(int64_t count, int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

/// Returns the words of memory that packed rows and a packed chunk need at any level.
[[nodiscard]] inline int64_t packed_row_words(int64_t width) { return rounded_up(width, kPanel); }
[[nodiscard]] inline int64_t packed_keys_words(int64_t count, int64_t width) { return count * packed_row_words(width); }
[[nodiscard]] inline int64_t packed_values_words(int64_t count, int64_t width) {
  return rounded_up(count, 2 * kPanel) * packed_row_words(width);
}

PARITY_CPU_FUNCTION(attention_pack_f32, PackedChunk<float>)
PARITY_CPU_FUNCTION(attention_pack_bf16, PackedChunk<BFloat16>)
PARITY_CPU_FUNCTION(attention_open_f32, AttentionWindow<float>)
PARITY_CPU_FUNCTION(attention_open_bf16, AttentionWindow<BFloat16>)
PARITY_CPU_FUNCTION(attention_step_f32, AttentionStep<float>)
PARITY_CPU_FUNCTION(attention_step_bf16, AttentionStep<BFloat16>)
PARITY_CPU_FUNCTION(attention_close_f32, AttentionWindow<float>)
PARITY_CPU_FUNCTION(attention_close_bf16, AttentionWindow<BFloat16>)

}  // namespace parity::cpu

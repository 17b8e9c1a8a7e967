// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the driver of attention (attention.hpp) and its inner loops (simd/attention.cpp) say to each other. The query heads of
// one key/value head and their tokens form rows in the order (token, head); a vector's lanes are neighbouring rows.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "optimized/cpu/level.hpp"

namespace parity::cpu {

inline constexpr int64_t kWindowVectors = 64;   // at most, that walk the keys together
inline constexpr int64_t kMostChunkKeys = 256;  // keys per step, at most
inline constexpr int64_t kGroupVectors = 4;     // at most, that are computed together
inline constexpr int64_t kScoreVectors = 6;     // whose scores of a longest chunk are held at a time
inline constexpr int64_t kPanel = 16;           // channels of packed values contiguous
inline constexpr int64_t kMostLanes = 16;

/// Lanes of a vector of floats at the level in use.
[[nodiscard]] inline int64_t attention_lanes() { return level() == Level::avx2 ? 8 : 16; }

/// Vectors of a window at the level in use: whole groups.
template <class T>
[[nodiscard]] inline int64_t attention_vectors() {
  return level() == Level::amx_bf16 && sizeof(T) < sizeof(float) ? kWindowVectors : 18;
}

/// Keys of a step at the level in use: longer ones read and write mixtures less often, which binds where products are fast.
template <class T>
[[nodiscard]] inline int64_t attention_chunk_keys() {
  return level() == Level::amx_bf16 && sizeof(T) < sizeof(float) ? kMostChunkKeys : kMostChunkKeys / 2;
}

/// Elements of one key/value head, row by row.
template <class T>
struct HeadRows {
  const T* data;
  int64_t stride;  // elements from one slot to the next

  [[nodiscard]] const T* row(int64_t slot) const { return data + slot * stride; }
};

/// Rows [first, first + rows) of one key/value head, and their softmax so far. 32-bit words hold a float or a pair of BF16.
template <class T>
struct AttentionWindow {
  const T* q;  // of the batch's row and the first of the group's heads
  int64_t q_token, q_head, q_channel;
  T* out;
  int64_t out_token, out_head;
  int64_t heads;  // of the group
  int64_t first, rows, vectors;
  int64_t width;     // channels
  float exponent;    // scale / ln 2: weights are powers of two of scores times this
  float* queries;    // (vectors, steps of channels, lanes)
  float* mixed;      // (vectors, lanes' mixtures by channel, lanes)
  float* reference;  // (vectors, lanes) scores that weights are powers against
  float* total;      // (vectors, lanes)
  float* scores;     // (kScoreVectors, kMostChunkKeys, lanes) scratch
};

/// Keys and values of a chunk as the inner loops read them.
template <class T>
struct PackedChunk {
  HeadRows<T> k, v;  // from the chunk's first slot
  int64_t count;     // slots
  int64_t width;
  float* keys;    // room for (count, steps of channels) where keys are not read in place
  float* values;  // room for (panels, steps of slots, kPanel)
  bool ahead;     // both are packed already
  bool* special;  // ahead: whether a value is infinite or NaN
};

/// One step: the vectors of a window that see something of a chunk.
template <class T>
struct AttentionStep {
  AttentionWindow<T> window;
  PackedChunk<T> chunk;
  const PackedChunk<T>* next;  // that the window walks then, packed already; null: none
  const int64_t* limits;       // per vector: slots from the chunk's first on that some lane sees; 0: skip the vector
  const uint16_t* const* visible;  // per vector: lanes that see each slot below the limit; null: all of them
};

[[nodiscard]] inline int64_t rounded_up(int64_t count, int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

/// Room that packed rows and a packed chunk need at any level, in words.
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

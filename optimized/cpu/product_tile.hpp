// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Products of a weight's rows with tiles of tokens, as linear layers and experts share them.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "optimized/cpu/level.hpp"

namespace parity::cpu {

inline constexpr int64_t kTileTokens = 64;  // of one tile at most; tile_tokens() at the level in use
inline constexpr int64_t kPieceRows = 64;   // of a weight in one piece of work
inline int64_t tile_tokens() { return level() == Level::avx2 ? 24 : kTileTokens; }
/// Fewer tokens than this read the weights along their channels, more from packed tiles.
inline constexpr int64_t kFewTokens = 5;
/// Floats: the packed tokens of a tile; products and copied rows of one thread.
inline int64_t packed_floats(int64_t width) { return kTileTokens * (width + 1); }
inline constexpr int64_t kProductFloats = 2 * kPieceRows * kTileTokens + 4 * 512;

/// Channels [first, last) of the tokens, from an even one.
template <class T>
struct PackTokens {
  const T* const* rows;
  int64_t count, width, first, last;
  float* packed;
};

using PackSingle = PackTokens<float>;
using PackHalf = PackTokens<BFloat16>;
PARITY_CPU_FUNCTION(pack_tokens_f32, PackSingle)
PARITY_CPU_FUNCTION(pack_tokens_bf16, PackHalf)

/// Rows [first, last) of a weight times the tokens of a tile, into channels `column` and on of theirs.
template <class T>
struct LinearTile {
  const T* const* tokens;  // `count` rows
  const float* packed;     // the same packed, or null for few
  const T* weight;         // rows of `width`, dense
  float* scratch;          // kProductFloats
  int64_t count, width, first, last;
  const float* bias;  // of row `first`, or null
  T* const* out;
  int64_t column;
};

using LinearSingle = LinearTile<float>;
using LinearHalf = LinearTile<BFloat16>;
PARITY_CPU_FUNCTION(linear_tile_f32, LinearSingle)
PARITY_CPU_FUNCTION(linear_tile_bf16, LinearHalf)

/// Rows [first, last) of a matrix of e4m3 codes, one scale for `block` columns of `rows` rows: a power of two (u8, biased by
/// 127) or a binary32 factor.
template <class T>
struct CodedRows {
  const uint8_t* codes;      // rows of `width`, dense
  const uint8_t* exponents;  // rows of `width` / block, or null
  const float* factors;      // or null
  int64_t width, block, rows, first, last;
  T* out;  // of row `first`; dense
};

using CodedSingle = CodedRows<float>;
using CodedHalf = CodedRows<BFloat16>;
PARITY_CPU_FUNCTION(decode_rows_f32, CodedSingle)
PARITY_CPU_FUNCTION(decode_rows_bf16, CodedHalf)

inline constexpr int64_t kCodedFew = 8;     // tokens at most that read the codes where they lie
inline constexpr int64_t kCodedBlock = 32;  // columns of an MXFP8 scale

/// Products of a few tokens with rows [first, last), decoded in registers; scales are exponents of one row and 32 columns.
template <class T>
struct CodedFew {
  CodedRows<T> weight;     // `out` is not used
  const T* const* tokens;  // `count` <= kCodedFew rows
  int64_t count;
  T* const* out;
};

using CodedFewSingle = CodedFew<float>;
using CodedFewHalf = CodedFew<BFloat16>;
PARITY_CPU_FUNCTION(coded_few_f32, CodedFewSingle)
PARITY_CPU_FUNCTION(coded_few_bf16, CodedFewHalf)

}  // namespace parity::cpu

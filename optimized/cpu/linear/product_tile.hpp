// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Products of a weight's rows with panels of tokens, as linear layers and experts share them.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "optimized/cpu/level.hpp"

namespace parity::cpu {

inline constexpr int64_t kTileTokens = 64;  // of one tile at most; tile_tokens() at the level in use
inline int64_t tile_tokens() { return level() == Level::avx2 ? 24 : kTileTokens; }
/// Tokens that meet a piece of rows together, in whole tiles, and rows of a weight in one piece of work: their sums stay in a
/// thread's own cache, and the larger both are, the less is read again. Few rows where few tokens want them.
inline constexpr int64_t kPanelTokens = 512, kPieceRows = 64, kMostPieceRows = 256;
inline int64_t panel_tokens() { return kPanelTokens / tile_tokens() * tile_tokens(); }
/// Fewer tokens than this read the weights along their channels, more from packed tiles.
inline constexpr int64_t kFewTokens = 5;
/// Floats: the packed tokens of a tile; copied rows, and with them the products of one thread.
inline int64_t packed_floats(int64_t width) { return kTileTokens * (width + 1); }
inline constexpr int64_t kCopiedFloats = kMostPieceRows * 128;
inline constexpr int64_t kProductFloats = kMostPieceRows * kPanelTokens + kCopiedFloats;

/// Channels [first, last) of the tokens of a tile, from an even one; each step of all tokens is a line of `line`.
template <class T>
struct PackTokens {
  const T* const* rows;
  int64_t count, width, first, last, line;
  float* packed;
};

using PackSingle = PackTokens<float>;
using PackHalf = PackTokens<BFloat16>;
PARITY_CPU_FUNCTION(pack_tokens_f32, PackSingle)
PARITY_CPU_FUNCTION(pack_tokens_bf16, PackHalf)

/// Rows [first, last) of a weight and the tokens that they are multiplied by.
template <class T>
struct ProductPanel {
  const T* const* tokens;  // `count` <= panel_tokens() rows
  const float* packed;     // their tiles, one after the other; what is left of few tokens is not packed
  const T* weight;         // rows of `width`, dense
  float* scratch;          // kProductFloats
  int64_t count, width, first, last;
};

/// Into channels `column` and on of the tokens'.
template <class T>
struct LinearPanel {
  ProductPanel<T> panel;
  const float* bias;  // of row `first`, or null
  T* const* out;
  int64_t column;
};

using LinearSingle = LinearPanel<float>;
using LinearHalf = LinearPanel<BFloat16>;
PARITY_CPU_FUNCTION(linear_panel_f32, LinearSingle)
PARITY_CPU_FUNCTION(linear_panel_bf16, LinearHalf)

/// Rows [first, last) of a matrix of e4m3 codes, one scale for `block` columns of `rows` rows: a power of two (u8, biased by
/// 127) or a binary32 factor.
template <class T>
struct CodedRows {
  const uint8_t* codes;      // rows of `width`, dense
  const uint8_t* exponents;  // rows of `width` / block, or null
  const float* factors;      // or null
  int64_t width, block, rows, first, last;
  T* out;                // of row `first`; dense
  bool streams = false;  // past the caches: nobody reads it soon, and a line is not fetched to be overwritten
};

using CodedSingle = CodedRows<float>;
using CodedHalf = CodedRows<BFloat16>;
PARITY_CPU_FUNCTION(decode_rows_f32, CodedSingle)
PARITY_CPU_FUNCTION(decode_rows_bf16, CodedHalf)

inline constexpr int64_t kCodedBlock = 32;  // columns of an MXFP8 scale
inline constexpr int64_t kCodedLine = 16;   // tokens of a matrix unit's tile
/// Tokens at most that meet the codes where they lie, and from how many on that is done by tiles.
inline int64_t coded_few(DType type) { return type == DType::bf16 && level() == Level::amx_bf16 ? kCodedLine : 8; }
inline int64_t coded_tile(DType type) { return type == DType::bf16 && level() == Level::amx_bf16 ? 3 : kCodedLine + 1; }

/// Products of a few tokens with rows [first, last), decoded in registers; scales are exponents of one row and 32 columns.
template <class T>
struct CodedFew {
  CodedRows<T> weight;     // `out` is not used
  const T* const* tokens;  // `count` rows
  const float* packed;     // the same in lines of kCodedLine, or null
  int64_t count;
  T* const* out;
};

using CodedFewSingle = CodedFew<float>;
using CodedFewHalf = CodedFew<BFloat16>;
PARITY_CPU_FUNCTION(coded_few_f32, CodedFewSingle)
PARITY_CPU_FUNCTION(coded_few_bf16, CodedFewHalf)

}  // namespace parity::cpu

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Products of a weight's rows with panels of tokens, which linear layers and experts use.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "optimized/cpu/level.hpp"

namespace parity::cpu {

inline constexpr int64_t kTileTokens = 64;  // most tokens in a tile; tile_tokens() is the number at the level in use
inline int64_t tile_tokens() { return level() == Level::avx2 ? 24 : kTileTokens; }
/// Most tokens in a panel, in whole tiles, and rows of a weight in a piece of work. Their sums fit into a thread's own
/// cache; larger pieces read less memory twice, smaller ones suit few tokens.
inline constexpr int64_t kPanelTokens = 512, kPieceRows = 64, kMostPieceRows = 256;
inline int64_t panel_tokens() { return kPanelTokens / tile_tokens() * tile_tokens(); }
/// Fewer tokens than this read the weights along their channels; more tokens are packed into tiles.
inline constexpr int64_t kFewTokens = 5;
/// Sizes in floats: the packed tokens of a tile, the copied rows of a thread, and a thread's copied rows and products.
inline int64_t packed_floats(int64_t width) { return kTileTokens * (width + 1); }
inline constexpr int64_t kCopiedFloats = kMostPieceRows * 128;
inline constexpr int64_t kProductFloats = kMostPieceRows * kPanelTokens + kCopiedFloats;

/// Packs channels [first, last) of a tile's tokens, from an even one on; a channel or pair is a line of `line` words.
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

/// Rows [first, last) of a weight, and the tokens that they are multiplied by.
template <class T>
struct ProductPanel {
  const T* const* tokens;  // `count` <= panel_tokens() rows
  const float* packed;     // the packed tiles; a last tile of few tokens is not packed
  const T* weight;         // dense rows of `width`
  float* scratch;          // kProductFloats floats
  int64_t count, width, first, last;
};

/// Writes the products to the tokens' outputs, from channel `column` on.
template <class T>
struct LinearPanel {
  ProductPanel<T> panel;
  const float* bias;  // from row `first` on, or null
  T* const* out;
  int64_t column;
};

using LinearSingle = LinearPanel<float>;
using LinearHalf = LinearPanel<BFloat16>;
PARITY_CPU_FUNCTION(linear_panel_f32, LinearSingle)
PARITY_CPU_FUNCTION(linear_panel_bf16, LinearHalf)

/// Rows [first, last) of a matrix of e4m3 codes. A scale applies to `block` columns of `rows` rows: an exponent (u8,
/// biased by 127) or a binary32 factor.
template <class T>
struct CodedRows {
  const uint8_t* codes;      // dense rows of `width`
  const uint8_t* exponents;  // rows of `width` / block, or null
  const float* factors;      // or null
  int64_t width, block, rows, first, last;
  T* out;                // dense, from row `first` on
  bool streams = false;  // stores past the caches, because the rows are not read soon
};

using CodedSingle = CodedRows<float>;
using CodedHalf = CodedRows<BFloat16>;
PARITY_CPU_FUNCTION(decode_rows_f32, CodedSingle)
PARITY_CPU_FUNCTION(decode_rows_bf16, CodedHalf)

inline constexpr int64_t kCodedBlock = 32;  // columns that share an MXFP8 scale
inline constexpr int64_t kCodedLine = 16;   // tokens in a tile of the matrix unit
/// Most tokens that are multiplied by codes decoded in registers, and least tokens for which tiles do that.
inline int64_t coded_few(DType type) { return type == DType::bf16 && level() == Level::amx_bf16 ? kCodedLine : 8; }
inline int64_t coded_tile(DType type) { return type == DType::bf16 && level() == Level::amx_bf16 ? 3 : kCodedLine + 1; }

/// Multiplies a few tokens by rows [first, last), decoded in registers. 32 columns of a row share one exponent.
template <class T>
struct CodedFew {
  CodedRows<T> weight;     // `out` is unused
  const T* const* tokens;  // `count` rows
  const float* packed;     // the tokens packed in lines of kCodedLine, or null
  int64_t count;
  T* const* out;
};

using CodedFewSingle = CodedFew<float>;
using CodedFewHalf = CodedFew<BFloat16>;
PARITY_CPU_FUNCTION(coded_few_f32, CodedFewSingle)
PARITY_CPU_FUNCTION(coded_few_bf16, CodedFewHalf)

}  // namespace parity::cpu

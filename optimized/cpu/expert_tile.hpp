// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "optimized/cpu/level.hpp"

namespace parity::cpu {

inline constexpr int64_t kExpertTokens = 64;  // of one tile at most; expert_tokens() at the level in use
inline constexpr int64_t kExpertRows = 64;    // of a weight in one piece of work
inline int64_t expert_tokens() { return level() == Level::avx2 ? 24 : kExpertTokens; }
/// Fewer tokens than this read the weights along their channels, more from packed tiles.
inline constexpr int64_t kExpertFew = 5;
/// Floats: the packed tokens of a tile; products and copied rows of one thread.
inline int64_t packed_floats(int64_t width) { return kExpertTokens * (width + 1); }
inline constexpr int64_t kProductFloats = 2 * kExpertRows * kExpertTokens + 4 * 512;

/// Channels [first, last) of the tokens, from an even one.
template <class T>
struct PackTokens {
  const T* const* rows;
  int64_t count, width, first, last;
  float* packed;
};

/// Rows [first, last) of one expert's weight times the tokens of a tile.
template <class T>
struct ExpertTile {
  const T* const* tokens;  // `count` rows
  const float* packed;     // the same packed, or null for few
  const T* weight;         // rows of `width`, dense
  float* scratch;          // kProductFloats
  int64_t count, width, first, last;

  // the first product: rows f and inner + f give activation f
  T* const* activation = nullptr;
  int64_t inner = 0;
  float alpha = 1.0F, limit = 0.0F, offset = 0.0F;
  bool rounds_hidden = false, rounds_scaled = false, rounds_sigmoid = false, rounds_gated = false,
       rounds_shifted = false;

  // the second: row h gives channel h of the tokens' sums
  const float* factor = nullptr;
  float* const* weighted = nullptr;  // rows of slots, or null
  T* const* out = nullptr;
  const bool* begins = nullptr;  // the first addend of its token
  bool rounds_down = false;
};

using PackSingle = PackTokens<float>;
using PackHalf = PackTokens<BFloat16>;
using ExpertSingle = ExpertTile<float>;
using ExpertHalf = ExpertTile<BFloat16>;
PARITY_CPU_FUNCTION(pack_tokens_f32, PackSingle)
PARITY_CPU_FUNCTION(pack_tokens_bf16, PackHalf)
PARITY_CPU_FUNCTION(expert_activation_f32, ExpertSingle)
PARITY_CPU_FUNCTION(expert_activation_bf16, ExpertHalf)
PARITY_CPU_FUNCTION(expert_sum_f32, ExpertSingle)
PARITY_CPU_FUNCTION(expert_sum_bf16, ExpertHalf)

}  // namespace parity::cpu

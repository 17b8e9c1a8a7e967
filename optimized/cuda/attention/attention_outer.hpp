// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attention over lists whose tokens share few key blocks, as attention_outer.cu is given it: a block of threads has one key
// block and the tokens that chose it, and their results are joined later.
#pragma once

#include "optimized/cuda/attention/attention.hpp"

namespace parity::optimized::cuda {

constexpr int kMostListed = 1024;    // entries of the lists of a tile's tokens
constexpr int kWindowTokens = 1024;  // whose parts are held at a time, at most
constexpr int kPieceTokens = 512;    // of a window: those of a block of threads, at most
constexpr int kWordTokens = 32;      // of a word of `chosen`
constexpr int kOuterRows = 128;      // of a product: tokens times heads
constexpr int kOuterParts = 2;       // of a key block, at most, of 64 slots each

/// Of a window of tokens. A token has a part for each place of its list.
struct AttentionOuterParameters {
  AttentionParameters of;
  uint32_t* chosen;   // (B*G, J, words): bit i of word w: token 32 w + i of the window chose the key block
  float* mixtures;    // (T, B*G, tokens * heads, D)
  float* statistics;  // (T, B*G, tokens * heads, 2), as those of AttentionParameters
  int64_t first_token, tokens;
  int32_t key_blocks, words;  // J
};

}  // namespace parity::optimized::cuda

#ifndef __CUDACC__

#include "optimized/cuda/attention/attend.hpp"

namespace parity::optimized::cuda {

/// Whether these kernels could compute a call whose tiles have p.tile_rows: bf16, at most 128 channels, lists that the heads
/// of a group share, key blocks of at most 128 slots, at least three tokens in a tile.
[[nodiscard]] bool takes_outer(const AttentionOperands<BFloat16>& x, const AttentionParameters& p);
[[nodiscard]] inline bool takes_outer(const AttentionOperands<float>&, const AttentionParameters&) { return false; }
/// Notes in p.by_key_block which tiles are to be computed here: those whose tokens choose more than 2.2 times as many
/// different key blocks as one token does.
void measure_overlap(AttentionParameters& p, const Context& context, Workspace& workspace);
/// Computes the rows of these tiles.
void start_outer(const AttentionParameters& of, const Context& context, Workspace& workspace);

}  // namespace parity::optimized::cuda

#endif

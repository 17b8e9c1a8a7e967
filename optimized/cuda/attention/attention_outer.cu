// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attention over lists whose tokens share few key blocks: attend() starts these kernels for the tiles of rows that are measured to
// be such, beside the kernels of attention.cu or attention_sm90.cu for the others.
#include "optimized/cuda/attention/attention_outer.hpp"

#ifdef __CUDACC__

#include "optimized/cuda/device/attention_outer.cuh"

namespace parity::optimized::cuda {

extern "C" __global__ void attention_outer_measure(const __grid_constant__ AttentionParameters p) { measure_tile(p); }
extern "C" __global__ void attention_outer_choose(const __grid_constant__ AttentionOuterParameters p) {
  note_choice(p);
}
extern "C" __global__ void __launch_bounds__(OuterShape::kThreads, 1)
    attention_outer_attend(const __grid_constant__ AttentionOuterParameters p) {
  attend_outer(p);
}
extern "C" __global__ void attention_outer_join(const __grid_constant__ AttentionOuterParameters p) { join_outer(p); }

}  // namespace parity::optimized::cuda

#else

namespace parity::optimized::cuda {
namespace {

constexpr int64_t kOuterWidth = 128, kOuterSlots = 64;  // of a product; of a part
constexpr uint32_t kOuterThreads = 256;

/// What a GPU is asked to hold of parts at a time: 1024 tokens of 64 heads, 16 places and 128 channels.
int64_t window_of(const AttentionParameters& p) {
  constexpr int64_t kMostBytes = int64_t{1} << 30U;
  const int64_t token = int64_t{p.list_length} * p.sequences * p.heads * (p.width + 2) * 4;
  const int64_t words = std::clamp<int64_t>(kMostBytes / token, kWordTokens, kWindowTokens) / kWordTokens;
  return std::min<int64_t>(words * kWordTokens, p.rows / p.heads);
}

void run_outer(const char* kernel, Dim grid, uint32_t threads, const AttentionOuterParameters& p,
               const Context& context) {
  // Two tiles of queries, two parts of keys and values; 16 bytes between rows.
  constexpr uint32_t kShared = (2 * kOuterRows + kOuterParts * 2 * kOuterSlots) * (2 * kOuterWidth + 16);
  const bool products = std::string_view(kernel) == "attend";
  launch(context,
         {"attention_outer", std::string("attention_outer_") + kernel, grid, {threads}, {}, products ? kShared : 0}, p);
}

}  // namespace

bool takes_outer(const AttentionOperands<BFloat16>& x, const AttentionParameters& p) {
  constexpr int64_t kFewestTokens = 3;  // of a tile: two cannot choose 2.2 times as many as one
  if (!x.lists || p.self_visible || p.width > kOuterWidth || p.parts > kOuterParts) return false;
  const bool shared = p.lists_per_batch <= p.groups && p.groups % p.lists_per_batch == 0;
  const int64_t tokens = p.tile_rows / p.heads;
  return shared && p.tile_rows % p.heads == 0 && kOuterRows % p.heads == 0 && tokens >= kFewestTokens &&
         p.rows > p.heads * (kFewestTokens - 1) && p.list_length > 0 && tokens * p.list_length <= kMostListed;
}

void measure_overlap(AttentionParameters& p, const Context& context, Workspace& workspace) {
  constexpr uint32_t kThreads = 128;
  const int64_t tiles = int64_t{p.row_tiles} * p.sequences;
  p.by_key_block = workspace.take_elements<int32_t>(static_cast<size_t>(tiles));
  launch(context, {"attention_outer", "attention_outer_measure", {grid_extent(tiles)}, {kThreads}}, p);
}

void start_outer(const AttentionParameters& of, const Context& context, Workspace& workspace) {
  const int64_t window = window_of(of), all = of.rows / of.heads;
  const int64_t blocks = (of.slots + of.block_size - 1) / of.block_size;
  AttentionOuterParameters p{};
  p.of = of;
  p.key_blocks = static_cast<int32_t>(blocks);
  p.words = static_cast<int32_t>((window + kWordTokens - 1) / kWordTokens);
  const auto words = static_cast<size_t>(of.sequences * blocks * p.words);
  const auto parts = static_cast<size_t>(of.list_length * of.sequences * window * of.heads);
  p.chosen = workspace.take_elements<uint32_t>(words);
  p.mixtures = workspace.take_elements<float>(parts * static_cast<size_t>(of.width));
  p.statistics = workspace.take_elements<float>(2 * parts);
  for (p.first_token = 0; p.first_token < all; p.first_token += window) {
    p.tokens = std::min(window, all - p.first_token);
    const int64_t entries = p.tokens * of.list_length * of.sequences;
    const uint32_t pieces = grid_extent((p.tokens + kPieceTokens - 1) / kPieceTokens);
    cuda_place(context).clear(reinterpret_cast<std::byte*>(p.chosen), words * sizeof(uint32_t));
    run_outer("choose", {grid_extent((entries + kOuterThreads - 1) / kOuterThreads)}, kOuterThreads, p, context);
    run_outer("attend", {grid_extent(blocks * of.sequences), pieces}, kOuterThreads, p, context);
    run_outer("join", {grid_extent(p.tokens * of.heads * of.sequences)}, threads_for(of.width), p, context);
  }
}

}  // namespace parity::optimized::cuda

#endif

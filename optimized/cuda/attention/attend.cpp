// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cuda/attention/attend.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "optimized/cuda/attention/attention_outer.hpp"
#include "optimized/cuda/attention/attention_sm90.hpp"
#include "optimized/cuda/vectors.hpp"

namespace parity::optimized::cuda {
namespace {

/// A kernel of attention.cu: the most channels that it takes, and the rows, warps and keys of its blocks.
struct Variant {
  int64_t width, rows, warps;
  int64_t keys;  // of a tile
  uint32_t shared_bytes;
};

/// Sparse calls have as many rows in a block as fit: the tokens of neighbouring rows select mostly the same key blocks,
/// which are then loaded once.
template <class T>
int64_t warps_for(int64_t width, int64_t rows, bool lists) {
  constexpr int64_t kWarpRows = 16, kWidest = 256, kSome = 4, kMany = 8;
  if (rows <= kWarpRows || width == kWidest) return 1;
  return lists && sizeof(T) == 2 && width == 128 && rows > kSome * kWarpRows ? kMany : kSome;
}

/// The fewest channels that the call fits into.
template <class T>
Variant variant_for(int64_t channels, int64_t rows, bool lists) {
  constexpr auto widths =
      sizeof(T) == 2 ? std::array<int64_t, 5>{32, 64, 80, 128, 256} : std::array<int64_t, 5>{32, 128, 128, 128, 256};
  constexpr int64_t kFragmentRows = 16, kStages = 2, size = sizeof(T);
  const auto found = std::find_if(widths.begin(), widths.end(), [&](int64_t width) { return channels <= width; });
  PARITY_CHECK(found != widths.end(), unsupported,
               "a head of the attention has {} channels; the CUDA kernels take at most {}", channels, widths.back());
  const int64_t warps = warps_for<T>(*found, rows, lists);
  const int64_t keys = sizeof(T) == 2 ? 64 : 32, row_bytes = *found * size + kVectorBytes;
  const int64_t bytes = (kFragmentRows * warps + 2 * kStages * keys) * row_bytes;
  return {*found, kFragmentRows * warps, warps, keys, static_cast<uint32_t>(bytes)};
}

/// Returns into how many parts the keys of a row are divided, so that a GPU of some 130 SMs is busy. A part has at
/// least two tiles.
int64_t splits_for(int64_t blocks, int64_t tiles) {
  constexpr int64_t kEnoughBlocks = 264, kMostSplits = 64, kFewestTiles = 2;
  return std::clamp<int64_t>(std::min(kEnoughBlocks / std::max<int64_t>(blocks, 1), tiles / kFewestTiles), 1,
                             kMostSplits);
}

int32_t counted(int64_t count, const char* what) {
  PARITY_CHECK(count <= std::numeric_limits<int32_t>::max(), unsupported,
               "attention has {} {}; the CUDA kernels take at most {}", count, what,
               std::numeric_limits<int32_t>::max());
  return static_cast<int32_t>(count);
}

template <class T>
AttentionParameters parameters_of(const AttentionOperands<T>& x, bool causal) {
  AttentionParameters p{};
  p.q = operand(x.q);
  p.k = operand(x.k);
  p.v = operand(x.v);
  p.out = operand(x.out);
  if (x.mask) p.mask = operand(*x.mask);
  const bool one_for_all = !x.mask || x.mask->stride[1] == 0;
  p.masked_slots = counted(one_for_all ? x.k.extent[2] : x.mask->extent[1], "slots of a mask");
  if (x.positions) p.positions = operand(*x.positions);
  if (x.pairs) p.pairs = operand(*x.pairs);
  const int64_t heads = x.q.extent[1] / x.k.extent[1];
  p.rows = x.q.extent[2] * heads;
  p.query_slot = x.query_slot;
  p.sequences = counted(x.q.extent[0] * x.k.extent[1], "groups of heads");
  p.groups = counted(x.k.extent[1], "key heads");
  p.heads = counted(heads, "query heads of a key head");
  p.slots = counted(x.k.extent[2], "slots");
  p.width = counted(x.q.extent[3], "channels");
  p.block_size = counted(std::min(x.block_size, x.k.extent[2]), "slots of a block");
  p.lists_per_batch = 1;
  if (x.lists) {
    p.lists = operand(*x.lists);
    p.list_length = counted(x.lists->extent[2], "blocks of a list");
    p.lists_per_batch = counted(x.lists->extent[0] / x.q.extent[0], "lists of a token");
  }
  p.exponent = static_cast<float>(x.scale * 1.4426950408889634);
  const double even = 1.0 / static_cast<double>(x.k.extent[2]);
  p.blind_weight =
      x.zero_blind_rows ? 0.0F : static_cast<float>(x.normalise_first ? round_to(kDTypeOf<T>, even) : even);
  p.causal = causal;
  p.self_visible = x.self_visible;
  const bool whole = x.q.extent[3] % kVectorElements<T> == 0;
  p.copies = whole && has_vectors(x.q) && has_vectors(x.k) && has_vectors(x.v);
  p.stores = whole && has_vectors(x.out);
  return p;
}

template <class T>
void start(const AttentionParameters& p, const Variant& variant, const Context& context) {
  launch(context,
         {"attention",
          fmt::format("attention_{}_{}_{}", to_string(kDTypeOf<T>), variant.width, variant.warps),
          {grid_extent(int64_t{p.row_tiles} * p.sequences * p.splits)},
          {static_cast<uint32_t>(32 * variant.warps)},
          {},
          variant.shared_bytes},
         p);
}

}  // namespace

template <class T>
void attend(const AttentionOperands<T>& x, bool causal, const Context& context, Workspace& workspace, BlockRows rows) {
  if (x.q.extent[0] == 0 || x.q.extent[1] == 0 || x.q.extent[2] == 0 || x.q.extent[3] == 0) return;
  AttentionParameters p = parameters_of(x, causal);
  const bool least = rows == BlockRows::least, by_groups = !least && takes_sm90(x, p, context);
  Variant variant = variant_for<T>(p.width, least ? 1 : p.rows, x.lists.has_value());
  if (by_groups) variant.rows = kUnionRows;
  const int64_t parts = (p.block_size + variant.keys - 1) / variant.keys;
  const int64_t tiles = x.lists ? p.list_length * parts : parts;
  p.parts = static_cast<int32_t>(parts);
  p.tile_rows = static_cast<int32_t>(variant.rows);
  p.row_tiles = counted((p.rows + variant.rows - 1) / variant.rows, "tiles of rows");
  const bool outer = rows == BlockRows::by_overlap && takes_outer(x, p);
  if (outer) measure_overlap(p, context, workspace);
  const int64_t blocks = int64_t{p.row_tiles} * p.sequences;
  p.splits = static_cast<int32_t>(splits_for(blocks, tiles));
  if (p.splits > 1) {
    const auto parts_of_rows = static_cast<size_t>(p.splits * p.sequences * p.rows);
    p.mixtures = workspace.take_elements<float>(parts_of_rows * static_cast<size_t>(p.width));
    p.statistics = workspace.take_elements<float>(parts_of_rows * 2);
  }
  by_groups ? start_sm90(x, p, context) : start<T>(p, variant, context);
  if (p.splits > 1)
    launch(
        context,
        {"attention", kernel_name<T>("attention_combine"), {grid_extent(p.sequences * p.rows)}, {threads_for(p.width)}},
        p);
  if (outer) start_outer(p, context, workspace);
}

template void attend(const AttentionOperands<float>&, bool, const Context&, Workspace&, BlockRows);
template void attend(const AttentionOperands<BFloat16>&, bool, const Context&, Workspace&, BlockRows);

}  // namespace parity::optimized::cuda

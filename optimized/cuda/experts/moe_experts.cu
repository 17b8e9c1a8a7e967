// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// moe_experts: slots in the order of their experts, two products in tiles of one expert each, and each token's sum.
#include "optimized/cuda/experts/moe_experts.hpp"

#ifdef __CUDACC__

#include "optimized/cuda/device/expert_results.cuh"
#include "optimized/cuda/device/routing.cuh"
#include "optimized/cuda/device/tile_product.cuh"

namespace parity::optimized::cuda {

/// The results of a tile whose first column is f, in rows of whole sectors.
template <class T, class Shape>
__device__ void store_active(const ExpertsParameters& p, const TileSums<Shape>& sums, const ExpertTile& tile,
                             int64_t f) {
  each_joined_four(
      sums, [&](int, int, float gate, float up) { return activated<T>(p, gate, up); },
      [&](int row, int column, const uint2& words) {
        const int64_t position = tile.first + row, at = f + column;
        if (position < tile.last && at < p.inner)
          *reinterpret_cast<uint2*>(static_cast<T*>(p.active) + position * p.inner + at) = words;
      });
}

/// Eight rows of the gate alternate with the eight of the linear half that belong to them: a thread holds both sums.
template <class T, class Shape>
__device__ void activate_tile(const ExpertsParameters& p) {
  extern __shared__ __align__(128) char memory[];
  const ExpertTile tile = tile_at(p.routed, static_cast<int32_t>(blockIdx.x));
  if (tile.first >= tile.last) return;
  const int64_t f = static_cast<int64_t>(blockIdx.y) * (Shape::kColumns / 2);
  const T* weight = static_cast<const T*>(p.gate_up[tile.expert]);
  const TileRows<T, Shape::kRows, Shape::kThreads> tokens(p.width, [&](int row) -> RowSource {
    const bool inside = tile.first + row < tile.last;
    const int64_t token = inside ? p.routed.slot_at[tile.first + row] / p.routed.slots : 0;
    return {inside ? row_of(p.x, token) : nullptr, 1, p.x.element, p.x.vectors != 0};
  });
  const TileRows<T, Shape::kColumns, Shape::kThreads> rows(p.width, [&](int column) -> RowSource {
    const int64_t at = f + column / 16 * 8 + column % 8, row = column % 16 < 8 ? at : p.inner + at;
    return {at < p.inner ? weight + row * p.width : nullptr, 1, p.x.element, p.vectors[0] != 0};
  });
  TileSums<Shape> sums;
  multiply<T>(sums, memory, tokens, rows, 0, p.width);
  if constexpr (sizeof(T) == sizeof(Bf16)) {
    if (p.slot_activation == nullptr && p.inner % 16 == 0) return store_active<T>(p, sums, tile, f);
  }
  sums.each_joined([&](int row, int column, float gate, float up) {
    const int64_t position = tile.first + row, at = f + column;
    if (position >= tile.last || at >= p.inner) return;
    const T result = narrow<T>(activated<T>(p, gate, up));
    static_cast<T*>(p.active)[position * p.inner + at] = result;
    if (p.slot_activation != nullptr)
      static_cast<T*>(p.slot_activation)[p.routed.slot_at[position] * p.inner + at] = result;
  });
}

/// The addends of a tile whose first column is h, in rows of whole sectors.
template <class T, class Shape>
__device__ void store_addends(const ExpertsParameters& p, const TileSums<Shape>& sums, const ExpertTile& tile,
                              int64_t h) {
  sums.each_eight(
      [&](int row, int, float first, float second) {
        const int64_t position = tile.first + row;
        const float factor = position < tile.last ? factor_of(p, p.routed.slot_at[position]) : 0.0F;
        return packed(__fmul_rn(rounded<T>(first, p.rounds_down), factor),
                      __fmul_rn(rounded<T>(second, p.rounds_down), factor));
      },
      [&](int row, int column, const uint4& words) {
        const int64_t position = tile.first + row, at = h + column;
        if (position < tile.last)
          store_eight(static_cast<T*>(p.addends) + position * p.width + at, words, p.width - at);
      });
}

/// What each slot adds to its token, before the sum.
template <class T, class Shape>
__device__ void weigh_tile(const ExpertsParameters& p) {
  extern __shared__ __align__(128) char memory[];
  const ExpertTile tile = tile_at(p.routed, static_cast<int32_t>(blockIdx.x));
  if (tile.first >= tile.last) return;
  const int64_t h = static_cast<int64_t>(blockIdx.y) * Shape::kColumns;
  const bool vectors = p.inner % kVector<T> == 0;
  const TileRows<T, Shape::kRows, Shape::kThreads> tokens(p.inner, [&](int row) -> RowSource {
    const int64_t position = tile.first + row;
    return {position < tile.last ? static_cast<const T*>(p.active) + position * p.inner : nullptr, 1, p.x.element,
            vectors};
  });
  const TileRows<T, Shape::kColumns, Shape::kThreads> rows(p.inner, [&](int column) -> RowSource {
    const T* weight = static_cast<const T*>(p.down[tile.expert]) + (h + column) * p.inner;
    return {h + column < p.width ? weight : nullptr, 1, p.x.element, p.vectors[1] != 0};
  });
  TileSums<Shape> sums;
  multiply<T>(sums, memory, tokens, rows, 0, p.inner);
  if constexpr (sizeof(T) == sizeof(Bf16)) {
    if (p.slot_weighted == nullptr && p.width % kVector<T> == 0) return store_addends<T>(p, sums, tile, h);
  }
  sums.each([&](int row, int column, float first, float second) {
    const int64_t position = tile.first + row;
    if (position >= tile.last) return;
    const int32_t slot = p.routed.slot_at[position];
    const float factor = factor_of(p, slot);
    for (int64_t i = 0; i < 2 && h + column + i < p.width; ++i) {
      const float share = __fmul_rn(rounded<T>(i == 0 ? first : second, p.rounds_down), factor);
      if (p.slot_weighted != nullptr) p.slot_weighted[slot * p.width + h + column + i] = share;
      static_cast<T*>(p.addends)[position * p.width + h + column + i] = narrow<T>(share);
    }
  });
}

/// A block for each token. Its addends in ascending order of experts, each sum rounded to T; 0 without any.
template <class T>
__device__ void sum_slots(const ExpertsParameters& p) {
  const int64_t n = blockIdx.x;
  const int32_t* positions = p.routed.position_of + n * p.routed.slots;
  for (int64_t h = threadIdx.x; h < p.width; h += blockDim.x) {
    float sum = 0.0F;
    for (int32_t last = -1, added = 0;; ++added) {
      int32_t next = INT32_MAX;
      for (int t = 0; t < p.routed.slots; ++t) next = positions[t] > last && positions[t] < next ? positions[t] : next;
      if (next == INT32_MAX) break;
      const float addend = widen(static_cast<const T*>(p.addends)[next * p.width + h]);
      sum = added == 0 ? addend : widen(narrow<T>(sum + addend));
      last = next;
    }
    store_any(p.out, n, h, sum);
  }
}

#define PARITY_EXPERTS(name, threads, work) \
  extern "C" __global__ void __launch_bounds__(threads, 1) name(const __grid_constant__ ExpertsParameters p) { work; }
#define PARITY_EXPERTS_OF(type, T)                                                                         \
  PARITY_EXPERTS(moe_experts_activate_large_##type, LargeTile::kThreads, (activate_tile<T, LargeTile>(p))) \
  PARITY_EXPERTS(moe_experts_activate_small_##type, SmallTile::kThreads, (activate_tile<T, SmallTile>(p))) \
  PARITY_EXPERTS(moe_experts_weigh_large_##type, LargeTile::kThreads, (weigh_tile<T, LargeTile>(p)))       \
  PARITY_EXPERTS(moe_experts_weigh_small_##type, SmallTile::kThreads, (weigh_tile<T, SmallTile>(p)))       \
  PARITY_EXPERTS(moe_experts_sum_##type, 256, sum_slots<T>(p))
PARITY_EXPERTS_OF(f32, float)
PARITY_EXPERTS_OF(bf16, Bf16)
PARITY_EXPERTS(moe_experts_count, kChunk, count_slots(p.routed))
PARITY_EXPERTS(moe_experts_scan, kChunk, scan_slots(p.routed))
PARITY_EXPERTS(moe_experts_place, kChunk, place_slots(p.routed))

}  // namespace parity::optimized::cuda

#else

#include "core/components/experts/moe_experts.hpp"
#include "optimized/cuda/experts/moe_experts_sm90.hpp"
#include "optimized/cuda/host_rows.hpp"

namespace parity::optimized::cuda {
namespace {

bool rounds(const Round& point) { return point.active && point.precision == Precision::working; }

/// Zeros for slots that name no expert.
void clear(const TensorView& slots, const Context& context) {
  if (slots.empty()) return;
  PARITY_CHECK(slots.contiguous(), internal, "moe_experts writes dense slots");
  cuda_place(context).clear(slots.data, static_cast<size_t>(slots.count() * size_of(slots.dtype)));
}

template <class T>
ExpertsParameters operands_of(const MoeExperts::Inputs& in, const MoeExperts::Params& params,
                              const MoeExperts::Outputs& out, Context& context) {
  ExpertsParameters p{};
  const auto x = in.x.as<T, 2>(), total = out.out.as<T, 2>();                                                  // (N, H)
  PARITY_CHECK(x.extent[1] <= 1 || x.stride[1] == 1, internal, "moe_experts reads rows with contiguous channels");
  p.x = rows_of(in.x);
  p.weights = rows_of(in.weights);
  p.out = rows_of(out.out);
  p.tokens = total.extent[0];
  p.width = total.extent[1];
  p.slot_activation = out.slot_activation.data;
  if (!out.slot_activation.empty()) static_cast<void>(out.slot_activation.as<T, 3>());
  p.slot_weighted = out.slot_weighted.empty() ? nullptr : out.slot_weighted.as<float, 3>().data;
  const auto round = points_of<MoeExperts>(context);
  p.alpha = static_cast<float>(params.alpha);
  p.limit = static_cast<float>(round.limit(params.limit));  // in whose type the clamp compares
  p.offset = static_cast<float>(params.linear_offset);
  p.rounds_hidden = rounds(round.gate_up);
  p.rounds_scaled = rounds(round.scaled);
  p.rounds_sigmoid = rounds(round.sigmoid);
  p.rounds_gated = rounds(round.gated);
  p.rounds_shifted = rounds(round.shifted);
  p.rounds_down = rounds(round.down);
  return p;
}

void run(const std::string& kernel, Dim grid, uint32_t threads, const ExpertsParameters& p, const Context& context) {
  launch(context, {"moe_experts", "moe_experts_" + kernel, grid, {threads}}, p);
}

void order_slots(const ExpertsParameters& p, const Context& context) {
  const auto chunks = static_cast<uint32_t>(p.routed.chunks);
  run("count", {chunks}, kChunk, p, context);
  run("scan", {1}, kChunk, p, context);
  run("place", {chunks}, kChunk, p, context);
}

void start_tiles(const ExpertsParameters& p, const Tile& tile, const std::string& type, const Context& context) {
  const uint32_t tiles = grid_extent(most_tiles(p.routed));
  const auto start = [&](const std::string& kernel, int64_t across) {
    launch(context,
           {"moe_experts",
            "moe_experts_" + kernel + "_" + tile.name + "_" + type,
            {tiles, grid_extent(across)},
            {tile.threads},
            {},
            tile.shared},
           p);
  };
  start("activate", parts_of(p.inner, tile.columns / 2));
  start("weigh", parts_of(p.width, tile.columns));
}

/// What each slot adds to its token, in the order of experts.
template <class T>
void make_addends(ExpertsParameters& p, const MoeExperts::Inputs& in, const Tile& tile, const Context& context) {
  const Members gate_up = members_of<T>(*in.gate_up, context), down = members_of<T>(*in.down, context);
  p.gate_up = gate_up.addresses;
  p.down = down.addresses;
  p.vectors[0] = gate_up.vectors;
  p.vectors[1] = down.vectors;
  p.inner = down.width;
  p.active = context.workspace->take_elements<T>(static_cast<size_t>(p.routed.count * p.inner));
  p.addends = context.workspace->take_elements<T>(static_cast<size_t>(p.routed.count * p.width));
  const bool by_groups = takes_experts_sm90(p, gate_up, down, context);
  if (by_groups) p.routed.tile_rows = kExpertPositions;
  order_slots(p, context);
  by_groups ? start_experts_sm90(p, gate_up, down, context) : start_tiles(p, tile, to_string(kDTypeOf<T>), context);
}

template <class T>
void moe_experts(const MoeExperts::Inputs& in, const MoeExperts::Params& params, const MoeExperts::Outputs& out,
                 Context& context) {
  ExpertsParameters p = operands_of<T>(in, params, out, context);
  clear(out.slot_activation, context);
  clear(out.slot_weighted, context);
  if (p.tokens == 0 || p.width == 0) return;
  const Tile tile = route(p.routed, in.indices, in.gate_up->size(), context);
  const bool any = p.routed.count > 0 && p.routed.experts > 0;
  any ? make_addends<T>(p, in, tile, context) : order_slots(p, context);
  run(kernel_name<T>("sum"), {grid_extent(p.tokens)}, threads_for(p.width), p, context);
}

}  // namespace

void register_cuda_moe_experts(BackendKernels& kernels) {
  kernels.add<MoeExperts>("f32", &moe_experts<float>, true);
  kernels.add<MoeExperts>("bf16", &moe_experts<BFloat16>, true);
}

}  // namespace parity::optimized::cuda

#endif

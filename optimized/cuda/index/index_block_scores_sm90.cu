// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// index_block_scores of many queries for compute capability 9.0, in place of the kernels of index_block_scores.cu.
#include "optimized/cuda/index/index_block_scores_sm90.hpp"

#ifdef __CUDACC__

#include "optimized/cuda/device/index_group.cuh"

namespace parity::optimized::cuda {

extern "C" __global__ void __launch_bounds__(kGroupBlockThreads, 1)
    index_block_scores_sm90(const __grid_constant__ IndexSm90Parameters p) {
  extern __shared__ __align__(kSwizzled) char index_memory[];
  IndexGroup(p, *reinterpret_cast<IndexGroupMemory*>(index_memory)).run();
}

}  // namespace parity::optimized::cuda

#else

#include <bit>

#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {
namespace {

bool index_fits(const Span<const BFloat16, 4>& q, const IndexBlockScores::Params& params,
                const IndexBlockScores::Outputs& out) {
  const auto heads = static_cast<uint64_t>(q.extent[1]);
  return params.block_size == kIndexSlots && q.extent[3] <= kIndexWidth && out.scores.empty() &&
         q.extent[1] * q.extent[2] > kIndexRows / 2 && std::has_single_bit(heads) && heads <= kIndexRows;
}

/// Key blocks of a tile, so that a GPU of 132 processors is busy.
int64_t chunk_of(int64_t tiles, int64_t blocks) {
  constexpr int64_t kBusy = 132;
  return std::clamp<int64_t>(tiles * blocks / kBusy, 1, kIndexChunk);
}

/// All but the tensor maps and the shape of the grid.
IndexSm90Parameters group_parameters(const IndexBlockScores::Inputs& in, const IndexBlockScores::Params& params,
                                     const IndexBlockScores::Outputs& out) {
  IndexSm90Parameters p{};
  const TensorView& pooled = out.block_scores;
  const size_t last = pooled.strides.size() - 1;
  p.out = {
      pooled.data,
      {pooled.strides[0], params.per_group ? pooled.strides[1] : 0, pooled.strides[last - 1], pooled.strides[last]}};
  p.positions = operand(in.positions.as<int64_t, 2>());
  p.heads = static_cast<int32_t>(in.q.shape[1]);
  p.tokens = static_cast<int32_t>(in.q.shape[2]);
  p.slots = static_cast<int32_t>(in.k.shape[2]);
  p.blocks = static_cast<int32_t>(pooled.shape.back());
  p.scale = static_cast<float>(params.scale);
  p.per_group = params.per_group;
  return p;
}

}  // namespace

bool start_index_sm90(const IndexBlockScores::Inputs& in, const IndexBlockScores::Params& params,
                      const IndexBlockScores::Outputs& out, const Context& context) {
  constexpr uint32_t kShared = (1 + kIndexStages) * kIndexSlots * kIndexWidth * 2 + kIndexRows * (kIndexChunk + 1) * 4 +
                               (2 * kIndexStages + 1) * 8;
  CudaPlace& place = cuda_place(context);
  if (place.capability() != kGroupCapability || in.q.dtype != DType::bf16) return false;
  const auto q = in.q.as<BFloat16, 4>(), k = in.k.as<BFloat16, 4>();                       // (B, X, S, I), (B, 1, K, I)
  const Span<const BFloat16, 4> queries{q.data, q.extent, q.stride}, keys{k.data, k.extent, k.stride};
  if (!index_fits(queries, params, out)) return false;
  const auto heads = static_cast<uint32_t>(q.extent[1]);
  const TensorBoxes of_q = boxes_of(queries, {3, 1, 2, 0}, {TensorBoxes::kRow, heads, kIndexRows / heads, 1});
  const TensorBoxes of_k = boxes_of(keys, {3, 2, 1, 0}, {TensorBoxes::kRow, kIndexSlots, 1, 1});
  if (!boxes_fit(of_q) || !boxes_fit(of_k)) return false;
  IndexSm90Parameters p = group_parameters(in, params, out);
  p.q = place.tensor_map(of_q);
  p.k = place.tensor_map(of_k);
  p.token_tiles = static_cast<int32_t>((q.extent[1] * q.extent[2] + kIndexRows - 1) / kIndexRows);
  p.chunk = static_cast<int32_t>(chunk_of(p.token_tiles * q.extent[0], p.blocks));
  const int64_t chunks = (p.blocks + p.chunk - 1) / p.chunk;
  launch(context,
         {"index_block_scores_sm90",
          "index_block_scores_sm90",
          {grid_extent(p.token_tiles * chunks), grid_extent(q.extent[0])},
          {kGroupBlockThreads},
          {},
          kShared},
         p);
  return true;
}

}  // namespace parity::optimized::cuda

#endif

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attention of many rows for compute capability 9.0: attend() starts these kernels in place of those of attention.cu.
#include "optimized/cuda/attention/attention_sm90.hpp"

#ifdef __CUDACC__

#include "optimized/cuda/device/attention_group.cuh"

namespace parity::optimized::cuda {

template <int width>
__device__ void attend_union(const AttentionSm90Parameters& p) {
  extern __shared__ __align__(kSwizzled) char group_memory[];
  const AttentionPlace place = attention_place<GroupShape<width>>(p.of);
  if (by_key_block(p.of, place.sequence, place.first)) return;
  GroupAttention<width>(p, place, *reinterpret_cast<GroupMemory<width>*>(group_memory)).run();
}

extern "C" __global__ void __launch_bounds__(kGroupBlockThreads, 1)
    attention_sm90_64(const __grid_constant__ AttentionSm90Parameters p) {
  attend_union<64>(p);
}
extern "C" __global__ void __launch_bounds__(kGroupBlockThreads, 1)
    attention_sm90_128(const __grid_constant__ AttentionSm90Parameters p) {
  attend_union<128>(p);
}

}  // namespace parity::optimized::cuda

#else

#include <bit>

namespace parity::optimized::cuda {
namespace {

constexpr uint32_t kGroupRows = kUnionRows / 2, kBoxSlots = 64;

uint32_t heads_of_box(const AttentionParameters& p) {
  return std::min<uint32_t>(static_cast<uint32_t>(p.heads), kGroupRows);
}

TensorBoxes boxes_of_queries(const AttentionOperands<BFloat16>& x, const AttentionParameters& p) {
  const uint32_t heads = heads_of_box(p);
  return boxes_of(x.q, {3, 1, 2, 0}, {TensorBoxes::kRow, heads, kGroupRows / heads, 1});
}
TensorBoxes boxes_of_slots(const Span<const BFloat16, 4>& x) {
  return boxes_of(x, {3, 2, 1, 0}, {TensorBoxes::kRow, kBoxSlots, 1, 1});
}

/// Of a block's tokens together.
bool union_fits(const AttentionOperands<BFloat16>& x, const AttentionParameters& p) {
  if (!x.lists) return true;
  const int64_t tokens = std::max<int64_t>(kUnionRows / p.heads, 1);
  const bool shared = p.lists_per_batch <= p.groups && p.groups % p.lists_per_batch == 0;
  return shared && tokens <= kMostUnionTokens && tokens * p.list_length <= kMostUnion;
}

uint32_t shared_bytes_of(int width) {
  constexpr int word = 8, blocks = kMostUnion * (8 + 4 + 4 + 4) + 8;
  return static_cast<uint32_t>(2 * union_query_bytes(width) + kUnionStages * 4 * 64 * width + 2 * kUnionStages * word +
                               word + blocks);
}

}  // namespace

bool takes_sm90(const AttentionOperands<BFloat16>& x, const AttentionParameters& p, const Context& context) {
  constexpr int kWidest = 128;
  constexpr int64_t kManyRows = kUnionRows / 2;
  const bool shape = p.width <= kWidest && p.rows > kManyRows && p.slots > 0 && !p.self_visible &&
                     std::has_single_bit(static_cast<uint32_t>(p.heads)) && p.heads <= kUnionRows;
  return shape && cuda_place(context).capability() == kGroupCapability && union_fits(x, p) &&
         boxes_fit(boxes_of_queries(x, p)) && boxes_fit(boxes_of_slots(x.k)) && boxes_fit(boxes_of_slots(x.v));
}

void start_sm90(const AttentionOperands<BFloat16>& x, const AttentionParameters& p, const Context& context) {
  const CudaPlace& place = cuda_place(context);
  const int width = p.width <= 64 ? 64 : 128;
  launch(context,
         {"attention_sm90",
          fmt::format("attention_sm90_{}", width),
          {grid_extent(int64_t{p.row_tiles} * p.sequences * p.splits)},
          {kGroupBlockThreads},
          {},
          shared_bytes_of(width)},
         AttentionSm90Parameters{place.tensor_map(boxes_of_queries(x, p)), place.tensor_map(boxes_of_slots(x.k)),
                                 place.tensor_map(boxes_of_slots(x.v)), p});
}

}  // namespace parity::optimized::cuda

#endif

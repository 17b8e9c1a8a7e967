// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// index_select: a warp for each query that holds its scores in registers, or a block where there are more key blocks.
#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

struct IndexSelectParameters {
  Operand<3> scores, forced, blocks;                                      // (R, S, J), (R, S, J) or null, (R, S, T) i64
  Operand<2> positions;                                                                                    // (B, S) i64
  int64_t tokens, queries, count;                        // S, R S, J
  int64_t slots, chosen;                                 // T, and how many of them can be filled
  int64_t block_size, local_blocks, init_blocks, lists;  // lists of a sequence: R / B
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/element.cuh"
#include "optimized/cuda/device/largest.cuh"
#include "optimized/cuda/device/slice.cuh"

namespace parity::optimized::cuda {

/// One query's row.
struct IndexSelectRow {
  Operand<1> scores, forced, blocks;
  int64_t first_local, own, init;  // blocks [first_local, own] and [0, init) count as +infinity

  __device__ IndexSelectRow(const IndexSelectParameters& p, int64_t query) {
    const int64_t r = query / p.tokens, s = query % p.tokens;
    scores = slice<float>(slice<float>(p.scores, r), s);
    forced = slice<float>(slice<float>(p.forced, r), s);
    blocks = slice<int64_t>(slice<int64_t>(p.blocks, r), s);
    const int64_t place = *at<int64_t>(p.positions, r / p.lists, s) / p.block_size;
    own = place > 0 ? place : 0;
    first_local = p.local_blocks > 0 ? place - p.local_blocks + 1 : own + 1;
    init = p.init_blocks < place + 1 ? p.init_blocks : place + 1;
  }

  __device__ uint64_t key(int64_t n) const {
    const bool local = n >= first_local && n <= own;
    return key_of(local || n < init ? __int_as_float(0x7F800000) : *at<float>(scores, n), n);
  }
  __device__ void write_forced(bool wanted, int64_t n, uint64_t key) const {
    if (!wanted) return;
    // Scores are copied, not decoded from their codes, because a code does not keep the sign of zero.
    const bool infinite = code_of_key(key) == 0xFF800000U;
    *at<float>(forced, n) = infinite ? __int_as_float(0x7F800000) : *at<float>(scores, n);
  }
};

/// What a warp has chosen: a lane keeps one of 32 places, which are then written together.
class ChosenKeys {
 public:
  __device__ ChosenKeys(const IndexSelectRow& row, int64_t count) : row_(row), count_(count) {}

  __device__ void take(int64_t t, uint64_t key) {
    if (threadIdx.x % kWarp == t % kWarp) key_ = key;
    if (t + 1 < count_ && t % kWarp + 1 < kWarp) return;
    const int64_t place = t / kWarp * kWarp + threadIdx.x % kWarp;
    if (place <= t) *at<int64_t>(row_.blocks, place) = code_of_key(key_) > kCodeOfLeast ? index_of_key(key_) : -1;
  }

 private:
  const IndexSelectRow& row_;
  int64_t count_;
  uint64_t key_ = 0;
};

/// Threads share out the places that no key is left for.
__device__ inline void write_rest(const IndexSelectParameters& p, const IndexSelectRow& row, uint32_t thread,
                                  uint32_t threads) {
  for (int64_t t = p.chosen + thread; t < p.slots; t += threads) *at<int64_t>(row.blocks, t) = -1;
}

/// A warp for each query; a lane has `each` keys.
template <int each>
__device__ void select_by_warps(const IndexSelectParameters& p) {
  const int64_t query = static_cast<int64_t>(blockIdx.x) * (blockDim.x / kWarp) + threadIdx.x / kWarp;
  if (query >= p.queries) return;
  const uint32_t lane = threadIdx.x % kWarp;
  const IndexSelectRow row(p, query);
  uint64_t keys[each];
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const int64_t n = lane + i * kWarp;
    keys[i] = n < p.count ? row.key(n) : 0;
    if (n < p.count) row.write_forced(p.forced.data != nullptr, n, keys[i]);
  }
  const auto below = [&](uint64_t bound) {
    uint64_t best = 0;
#pragma unroll
    for (int i = 0; i < each; ++i) best = keys[i] < bound && keys[i] > best ? keys[i] : best;
    return best;
  };
  ChosenKeys chosen(row, p.chosen);
  each_largest(p.chosen, below, warp_largest, [&](int64_t t, uint64_t key) { chosen.take(t, key); });
  write_rest(p, row, lane, kWarp);
}

#define PARITY_SELECT(each)                                                       \
  extern "C" __global__ void __launch_bounds__(128)                               \
      index_select_warp_##each(const __grid_constant__ IndexSelectParameters p) { \
    select_by_warps<each>(p);                                                     \
  }
PARITY_SELECT(4)
PARITY_SELECT(8)
PARITY_SELECT(32)
#undef PARITY_SELECT

extern "C" __global__ void __launch_bounds__(256) index_select_block(const __grid_constant__ IndexSelectParameters p) {
  const IndexSelectRow row(p, blockIdx.x);
  const auto below = [&](uint64_t bound) {
    uint64_t best = 0;
    for (int64_t n = threadIdx.x; n < p.count; n += blockDim.x) {
      const uint64_t key = row.key(n);
      best = key < bound && key > best ? key : best;
    }
    return best;
  };
  for (int64_t n = threadIdx.x; p.forced.data != nullptr && n < p.count; n += blockDim.x)
    row.write_forced(true, n, row.key(n));
  ChosenKeys chosen(row, p.chosen);
  each_largest(p.chosen, below, block_largest, [&](int64_t t, uint64_t key) {
    if (threadIdx.x < kWarp) chosen.take(t, key);
  });
  write_rest(p, row, threadIdx.x, blockDim.x);
}

}  // namespace parity::optimized::cuda

#else

#include "core/components/index/index_select.hpp"
#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {
namespace {

/// A position beyond the key blocks, which the reference refuses, forces no block: positions are in the device's memory.
void index_select(const IndexSelect::Inputs& in, const IndexSelect::Params& params, const IndexSelect::Outputs& out,
                  Context& context) {
  const auto scores = in.block_scores.as<float, 3>();                                        // (B, S, J) or (B*X, S, J)
  const auto positions = in.positions.as<int64_t, 2>();                                                        // (B, S)
  const auto blocks = out.blocks.as<int64_t, 3>();                                           // (B, S, T) or (B*X, S, T)
  PARITY_CHECK(params.block_size > 0, schema, "block_size is {}; 1 or more is needed", params.block_size);
  PARITY_CHECK(params.top_k >= 0, usage, "the {} largest of {} scores are asked for; ask for 0 or more", params.top_k,
               scores.extent[2]);
  IndexSelectParameters p{};
  p.scores = operand(scores);
  p.positions = operand(positions);
  p.blocks = operand(blocks);
  if (!out.forced_scores.empty()) p.forced = operand(out.forced_scores.as<float, 3>());
  p.tokens = scores.extent[1];
  p.queries = scores.extent[0] * p.tokens;
  if (p.queries == 0) return;
  p.count = scores.extent[2];
  p.slots = blocks.extent[2];
  p.chosen = std::min({p.slots, params.top_k, p.count});
  p.block_size = params.block_size;
  p.local_blocks = params.local_blocks;
  p.init_blocks = params.init_blocks;
  p.lists = scores.extent[0] / positions.extent[0];
  constexpr int64_t kLanes = 32, kWarps = 4;  // of a warp; of a block
  for (const int64_t each : {4, 8, 32}) {
    if (p.count > each * kLanes) continue;
    const std::string name = fmt::format("index_select_warp_{}", each);
    launch(context, {"index_select", name, {grid_extent((p.queries + kWarps - 1) / kWarps)}, {128}}, p);
    return;
  }
  launch(context, {"index_select", "index_select_block", {grid_extent(p.queries)}, {256}}, p);
}

}  // namespace

void register_cuda_index_select(BackendKernels& kernels) {
  kernels.add<IndexSelect>("f32", &index_select);
  kernels.add<IndexSelect>("bf16", &index_select);  // binary32 in every type
}

}  // namespace parity::optimized::cuda

#endif

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// expert_load: each block counts some tokens in shared memory; where there are several, their counts are added afterwards.
#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

constexpr int64_t kLoadExperts = 2048;  // counted by a block at a time

struct ExpertLoadParameters {
  Operand<2> indices;                                                                                      // (N, T) i64
  Operand<1> mask, load;                                                                     // (N) i64 or null, (E) i64
  uint32_t* partial;                                                                      // (P, E), null where P is one
  int64_t tokens, slots, experts;
  int64_t piece, pieces;  // tokens of a block, and how many blocks there are for them
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/element.cuh"

namespace parity::optimized::cuda {

extern "C" __global__ void expert_load(const __grid_constant__ ExpertLoadParameters p) {
  __shared__ uint32_t counts[kLoadExperts];
  const int64_t first = blockIdx.y * kLoadExperts, left = p.experts - first;
  const int64_t experts = left < kLoadExperts ? left : kLoadExperts;
  for (int64_t e = threadIdx.x; e < experts; e += blockDim.x) counts[e] = 0;
  __syncthreads();
  const int64_t begin = blockIdx.x * p.piece, end = begin + p.piece < p.tokens ? begin + p.piece : p.tokens;
  for (int64_t n = begin + threadIdx.x; n < end; n += blockDim.x) {
    if (p.mask.data != nullptr && *at<int64_t>(p.mask, n) == 0) continue;
    for (int64_t t = 0; t < p.slots; ++t) {
      const int64_t e = *at<int64_t>(p.indices, n, t) - first;
      if (e >= 0 && e < experts) atomicAdd(&counts[e], 1U);  // whole numbers: any order gives the same
    }
  }
  __syncthreads();
  for (int64_t e = threadIdx.x; e < experts; e += blockDim.x) {
    if (p.partial == nullptr)
      *at<int64_t>(p.load, first + e) = counts[e];
    else
      p.partial[blockIdx.x * p.experts + first + e] = counts[e];
  }
}

extern "C" __global__ void expert_load_sum(const __grid_constant__ ExpertLoadParameters p) {
  const int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (e >= p.experts) return;
  int64_t sum = 0;
  for (int64_t piece = 0; piece < p.pieces; ++piece) sum += p.partial[piece * p.experts + e];
  *at<int64_t>(p.load, e) = sum;
}

}  // namespace parity::optimized::cuda

#else

#include "core/components/experts/expert_load.hpp"
#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {
namespace {

void expert_load(const ExpertLoad::Inputs& in, const ExpertLoad::Params&, const ExpertLoad::Outputs& out,
                 Context& context) {
  constexpr int64_t kThreads = 256, kMostPieces = 132;  // one for each multiprocessor of an H100
  const auto indices = in.indices.as<int64_t, 2>();                                                            // (N, T)
  const auto load = out.load.as<int64_t, 1>();                                                                    // (E)
  ExpertLoadParameters p{
      operand(indices), {}, operand(load), nullptr, indices.extent[0], indices.extent[1], load.extent[0], 0, 0};
  if (!in.token_mask.empty()) p.mask = operand(in.token_mask.as<int64_t, 1>());
  const int64_t rounds = (p.tokens + kThreads * kMostPieces - 1) / (kThreads * kMostPieces);
  p.piece = std::max<int64_t>(rounds, 1) * kThreads;
  p.pieces = std::max<int64_t>((p.tokens + p.piece - 1) / p.piece, 1);
  if (p.pieces > 1) p.partial = context.workspace->take_elements<uint32_t>(static_cast<size_t>(p.pieces * p.experts));
  const uint32_t parts = grid_extent((p.experts + kLoadExperts - 1) / kLoadExperts);
  launch(context, {"expert_load", "expert_load", {grid_extent(p.pieces), parts}, {kThreads}}, p);
  if (p.pieces == 1) return;
  const uint32_t blocks = grid_extent((p.experts + kThreads - 1) / kThreads);
  launch(context, {"expert_load", "expert_load_sum", {blocks}, {kThreads}}, p);
}

}  // namespace

void register_cuda_expert_load(BackendKernels& kernels) {
  kernels.add<ExpertLoad>("f32", &expert_load);
  kernels.add<ExpertLoad>("bf16", &expert_load);  // whole numbers in every type
}

}  // namespace parity::optimized::cuda

#endif

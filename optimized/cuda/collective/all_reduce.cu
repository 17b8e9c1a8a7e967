// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// all_reduce in one shot: a thread for each element reads it in the memory of every rank, which needs no other step. For
// messages so small that the steps of a ring would take longer than the bytes.
#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

constexpr int kMostRanks = 64;

struct AllReduceParameters {
  Operand<2> out;                                                                                              // (N, H)
  Operand<2> parts[kMostRanks];                                                                                // (N, H)
  int64_t count, width, chunk;   // elements, of a row, and of a chunk that one rank starts
  int ranks, start, step, tree;  // SumRoute; tree: neighbours are added
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/rank_sum.cuh"

namespace parity::optimized::cuda {

template <class T>
__device__ void all_reduce(const AllReduceParameters& p) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= p.count) return;
  const Parts<T> parts{p.parts, i / p.width, i % p.width};
  const int first = static_cast<int>((i / p.chunk + p.start) % p.ranks);
  const float sum = p.tree != 0 ? tree_sum(parts, p.ranks) : sum_from(parts, first, p.step, p.ranks);
  at<T>(p.out, parts.n, parts.h)[0] = narrow<T>(sum);
}

extern "C" __global__ void all_reduce_f32(const __grid_constant__ AllReduceParameters p) { all_reduce<float>(p); }
extern "C" __global__ void all_reduce_bf16(const __grid_constant__ AllReduceParameters p) { all_reduce<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/collective/all_reduce.hpp"
#include "optimized/cuda/kernels.hpp"
#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {
namespace {

constexpr uint32_t kThreads = 256;

template <class T>
void sum_ranks(const AllReduce::Inputs& in, const AllReduce::Params& params, const AllReduce::Outputs& out,
               Context& context) {
  const auto y = out.out.as<T, 2>();                                                                           // (N, H)
  PARITY_CHECK(in.parts.size() <= kMostRanks, unsupported, "all_reduce adds up to {} ranks, not {}", kMostRanks,
               in.parts.size());
  AllReduceParameters p{};
  p.out = operand(y);
  for (const TensorView& part : in.parts) p.parts[p.ranks++] = operand(part.as<T, 2>());
  p.count = y.extent[0] * y.extent[1];
  p.width = y.extent[1];
  const auto order = static_cast<SumOrder>(params.order);
  const SumRoute route = route_of(order, p.count, p.ranks, sizeof(T));
  p.chunk = route.chunk;
  p.start = static_cast<int>(route.start);
  p.step = static_cast<int>(route.step);
  p.tree = order == SumOrder::tree ? 1 : 0;
  const uint32_t blocks = grid_extent((p.count + kThreads - 1) / kThreads);
  launch(context, {"all_reduce", kernel_name<T>("all_reduce"), {blocks}, {kThreads}}, p);
}

/// Sums of a model in bf16 may be binary32.
template <class T>
void all_reduce(const AllReduce::Inputs& in, const AllReduce::Params& params, const AllReduce::Outputs& out,
                Context& context) {
  if (out.out.dtype == DType::f32) return sum_ranks<float>(in, params, out, context);
  sum_ranks<T>(in, params, out, context);
}

}  // namespace

void register_cuda_all_reduce(BackendKernels& kernels) {
  kernels.add<AllReduce>("f32", &all_reduce<float>, true);
  kernels.add<AllReduce>("bf16", &all_reduce<BFloat16>, true);
}

}  // namespace parity::optimized::cuda

#endif

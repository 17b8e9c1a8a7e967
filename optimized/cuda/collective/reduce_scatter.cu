// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// reduce_scatter in one shot: a thread for each own element reads it in the memory of every rank.
#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

constexpr int kMostScattered = 64;

struct ReduceScatterParameters {
  Operand<2> out;                                                                                              // (L, H)
  Operand<2> parts[kMostScattered];                                                                            // (N, H)
  int64_t first_row, count, width, chunk;  // elements, of a row, and of a chunk of the whole sum that one rank starts
  int ranks, start, step, tree;            // SumRoute; tree: neighbours are added
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/rank_sum.cuh"

namespace parity::optimized::cuda {

template <class T>
__device__ void reduce_scatter(const ReduceScatterParameters& p) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= p.count) return;
  const Parts<T> parts{p.parts, p.first_row + i / p.width, i % p.width};
  const int first = static_cast<int>(((p.first_row * p.width + i) / p.chunk + p.start) % p.ranks);
  const float sum = p.tree != 0 ? tree_sum(parts, p.ranks) : sum_from(parts, first, p.step, p.ranks);
  at<T>(p.out, i / p.width, parts.h)[0] = narrow<T>(sum);
}

extern "C" __global__ void reduce_scatter_f32(const __grid_constant__ ReduceScatterParameters p) {
  reduce_scatter<float>(p);
}
extern "C" __global__ void reduce_scatter_bf16(const __grid_constant__ ReduceScatterParameters p) {
  reduce_scatter<Bf16>(p);
}

}  // namespace parity::optimized::cuda

#else

#include "core/components/collective/reduce_scatter.hpp"
#include "optimized/cuda/kernels.hpp"
#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void scatter_sums(const ReduceScatter::Inputs& in, const ReduceScatter::Params& params,
                  const ReduceScatter::Outputs& out, Context& context) {
  const auto y = out.out.as<T, 2>();                                                                           // (L, H)
  PARITY_CHECK(in.parts.size() <= kMostScattered, unsupported, "reduce_scatter adds up to {} ranks, not {}",
               kMostScattered, in.parts.size());
  const TensorView& whole = in.parts.front();                                                                  // (N, H)
  PARITY_CHECK(params.first_row >= 0 && params.first_row <= whole.shape.front() - y.extent[0], unsupported,
               "reduce_scatter: rows {} to {} are outside of parts with {} rows", params.first_row,
               params.first_row + y.extent[0], whole.shape.front());
  ReduceScatterParameters p{};
  p.out = operand(y);
  for (const TensorView& part : in.parts) p.parts[p.ranks++] = operand(part.as<T, 2>());
  p.first_row = params.first_row;
  p.count = y.extent[0] * y.extent[1];
  p.width = y.extent[1];
  const auto order = static_cast<SumOrder>(params.order);
  const SumRoute route = route_of(order, whole.count(), p.ranks, sizeof(T));
  p.chunk = route.chunk;
  p.start = static_cast<int>(route.start);
  p.step = static_cast<int>(route.step);
  p.tree = order == SumOrder::tree ? 1 : 0;
  constexpr uint32_t kThreads = 256;
  const uint32_t blocks = grid_extent((p.count + kThreads - 1) / kThreads);
  launch(context, {"reduce_scatter", kernel_name<T>("reduce_scatter"), {blocks}, {kThreads}}, p);
}

/// Sums of a model in bf16 may be binary32.
template <class T>
void reduce_scatter(const ReduceScatter::Inputs& in, const ReduceScatter::Params& params,
                    const ReduceScatter::Outputs& out, Context& context) {
  if (out.out.dtype == DType::f32) return scatter_sums<float>(in, params, out, context);
  scatter_sums<T>(in, params, out, context);
}

}  // namespace

void register_cuda_reduce_scatter(BackendKernels& kernels) {
  kernels.add<ReduceScatter>("f32", &reduce_scatter<float>, true);
  kernels.add<ReduceScatter>("bf16", &reduce_scatter<BFloat16>, true);
}

}  // namespace parity::optimized::cuda

#endif

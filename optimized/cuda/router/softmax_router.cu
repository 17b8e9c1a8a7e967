// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// softmax_router: a warp for each token.
#include "optimized/cuda/rows.hpp"

namespace parity::optimized::cuda {

struct SoftmaxRouterParameters {
  Rows logits, weights;                                                                                // (N, E), (N, T)
  Operand<2> forced, scores, indices;                                              // (N, T) or null, (N, E) f32, (N, T)
  int64_t tokens, experts, slots;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/any.cuh"
#include "optimized/cuda/device/block_sum.cuh"
#include "optimized/cuda/device/chosen_experts.cuh"
#include "optimized/cuda/device/functions.cuh"
#include "optimized/cuda/device/slice.cuh"

namespace parity::optimized::cuda {

/// Writes exponentials, and then quotients over them: a lane reads what it wrote itself.
__device__ inline void write_softmax(const SoftmaxRouterParameters& p, int64_t n) {
  const uint32_t lane = threadIdx.x % kWarp;
  float largest = __int_as_float(0xFF800000U);
  for (int64_t e = lane; e < p.experts; e += kWarp) largest = fmaxf(largest, load_any(p.logits, n, e));  // skips NaN
  largest = number_of_order(__reduce_max_sync(0xFFFFFFFFU, order_code(largest)));
  float sum = 0.0F;
  for (int64_t e = lane; e < p.experts; e += kWarp) {
    const float power = exponential(load_any(p.logits, n, e) - largest);
    *at<float>(p.scores, n, e) = power;
    sum += power;
  }
  sum = warp_sum(sum);
  for (int64_t e = lane; e < p.experts; e += kWarp) *at<float>(p.scores, n, e) /= sum;
}

extern "C" __global__ void __launch_bounds__(128) softmax_router(const __grid_constant__ SoftmaxRouterParameters p) {
  const int64_t n = static_cast<int64_t>(blockIdx.x) * (blockDim.x / kWarp) + threadIdx.x / kWarp;
  if (n >= p.tokens) return;
  write_softmax(p, n);
  const ExpertRow row{slice<int64_t>(p.forced, n), slice<float>(p.scores, n), slice<int64_t>(p.indices, n), p.experts,
                      p.slots};
  weigh_chosen(
      row, [&](int64_t e) { return *at<float>(p.scores, n, e); },
      [&](int64_t t, float score, float total) { store_any(p.weights, n, t, score / total); });
}

}  // namespace parity::optimized::cuda

#else

#include "core/components/router/softmax_router.hpp"
#include "optimized/cuda/host_rows.hpp"
#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {
namespace {

void softmax_router(const SoftmaxRouter::Inputs& in, const SoftmaxRouter::Params& params,
                    const SoftmaxRouter::Outputs& out, Context& context) {
  const auto scores = out.scores.as<float, 2>();                                                               // (N, E)
  const auto indices = out.indices.as<int64_t, 2>();                                                           // (N, T)
  const int64_t experts = scores.extent[1], slots = indices.extent[1];
  PARITY_CHECK(!in.forced.empty() || std::clamp<int64_t>(params.top_k, 0, experts) == slots, schema,
               "{} of {} experts are chosen, but the output has {} slots", params.top_k, experts, slots);
  PARITY_CHECK(out.weights.dtype == DType::f32 || out.weights.dtype == DType::bf16, internal,
               "softmax_router writes weights in f32 or bf16, not {}", to_string(out.weights.dtype));
  SoftmaxRouterParameters p{rows_of(in.logits), rows_of(out.weights), {},      operand(scores),
                            operand(indices),   scores.extent[0],     experts, slots};
  if (!in.forced.empty()) p.forced = operand(in.forced.as<int64_t, 2>());
  constexpr int64_t kWarps = 4;  // of a block
  launch(context, {"softmax_router", "softmax_router", {grid_extent((p.tokens + kWarps - 1) / kWarps)}, {128}}, p);
}

}  // namespace

void register_cuda_softmax_router(BackendKernels& kernels) {
  kernels.add<SoftmaxRouter>("f32", &softmax_router);
  kernels.add<SoftmaxRouter>("bf16", &softmax_router);  // the weights' type is their tensor's
}

}  // namespace parity::optimized::cuda

#endif

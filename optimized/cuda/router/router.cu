// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// router: a warp for each token.
#include "optimized/cuda/rows.hpp"

namespace parity::optimized::cuda {

struct RouterParameters {
  Rows logits, bias;                                                       // (N, E), (1, E): some models hold them in T
  Operand<2> forced, scores, choice, indices, weights;                     // (N, T) or null, (N, E) twice, (N, T) twice
  int64_t tokens, experts, slots;
  float eps, scaling;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/any.cuh"
#include "optimized/cuda/device/chosen_experts.cuh"
#include "optimized/cuda/device/functions.cuh"
#include "optimized/cuda/device/slice.cuh"

namespace parity::optimized::cuda {

extern "C" __global__ void __launch_bounds__(128) router(const __grid_constant__ RouterParameters p) {
  const int64_t n = static_cast<int64_t>(blockIdx.x) * (blockDim.x / kWarp) + threadIdx.x / kWarp;
  if (n >= p.tokens) return;
  for (int64_t e = threadIdx.x % kWarp; e < p.experts; e += kWarp) {
    const float score = logistic(load_any(p.logits, n, e));
    *at<float>(p.scores, n, e) = score;
    *at<float>(p.choice, n, e) = score + load_any(p.bias, 0, e);
  }
  const ExpertRow row{slice<int64_t>(p.forced, n), slice<float>(p.scores, n), slice<int64_t>(p.indices, n), p.experts,
                      p.slots};
  weigh_chosen(
      row, [&](int64_t e) { return *at<float>(p.choice, n, e); },
      [&](int64_t t, float score, float total) { *at<float>(p.weights, n, t) = score / (total + p.eps) * p.scaling; });
}

}  // namespace parity::optimized::cuda

#else

#include "core/components/router/router.hpp"
#include "optimized/cuda/host_rows.hpp"
#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {
namespace {

void router(const Router::Inputs& in, const Router::Params& params, const Router::Outputs& out, Context& context) {
  const auto scores = out.scores.as<float, 2>(), choice = out.choice.as<float, 2>();                           // (N, E)
  const auto indices = out.indices.as<int64_t, 2>();                                                           // (N, T)
  const int64_t experts = scores.extent[1], slots = indices.extent[1];
  PARITY_CHECK(!in.forced.empty() || std::clamp<int64_t>(params.top_k, 0, experts) == slots, schema,
               "{} of {} experts are chosen, but the output has {} slots", params.top_k, experts, slots);
  RouterParameters p{rows_of(in.logits),
                     list_of(in.bias),
                     {},
                     operand(scores),
                     operand(choice),
                     operand(indices),
                     operand(out.weights.as<float, 2>()),
                     scores.extent[0],
                     experts,
                     slots,
                     static_cast<float>(params.eps),
                     static_cast<float>(params.scaling)};
  if (!in.forced.empty()) p.forced = operand(in.forced.as<int64_t, 2>());
  constexpr int64_t kWarps = 4;  // of a block
  launch(context, {"router", "router", {grid_extent((p.tokens + kWarps - 1) / kWarps)}, {128}}, p);
}

}  // namespace

void register_cuda_router(BackendKernels& kernels) {
  kernels.add<Router>("f32", &router);
  kernels.add<Router>("bf16", &router);  // binary32 in every type
}

}  // namespace parity::optimized::cuda

#endif

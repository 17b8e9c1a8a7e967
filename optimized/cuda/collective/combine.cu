// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// combine: a block for each token of the rank adds its row in the memory of every rank that has one of its experts.
#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

constexpr int kMostCombined = 64;  // bits of the set of ranks

struct CombineParameters {
  Operand<2> out;                                                                                              // (L, H)
  Operand<2> indices;                                                                                      // (N, T) i64
  Operand<2> parts[kMostCombined];                                                                             // (N, H)
  int64_t first_row, width, slots, count;
  int ranks;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/element.cuh"

namespace parity::optimized::cuda {

template <class T>
__device__ void combine(const CombineParameters& p) {
  const int64_t row = p.first_row + blockIdx.x;
  uint64_t has = 0;
  for (int64_t t = 0; t < p.slots; ++t) {
    const int64_t e = *at<int64_t>(p.indices, row, t);
    if (e >= 0 && e / p.count < p.ranks) has |= uint64_t{1} << (e / p.count);
  }
  for (int64_t h = threadIdx.x; h < p.width; h += blockDim.x) {
    float sum = 0.0F;
    bool any = false;
    for (int r = 0; r < p.ranks; ++r) {
      if ((has >> r & 1U) == 0) continue;
      const float term = widen(*at<T>(p.parts[r], row, h));
      sum = any ? sum + term : term;  // 0 + -0 would be 0
      any = true;
    }
    *at<T>(p.out, blockIdx.x, h) = narrow<T>(sum);
  }
}

extern "C" __global__ void combine_f32(const __grid_constant__ CombineParameters p) { combine<float>(p); }
extern "C" __global__ void combine_bf16(const __grid_constant__ CombineParameters p) { combine<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/collective/combine.hpp"
#include "optimized/cuda/kernels.hpp"
#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void combine_terms(const Combine::Inputs& in, const Combine::Params& params, const Combine::Outputs& out,
                   Context& context) {
  const auto y = out.out.as<T, 2>();                                                                           // (L, H)
  const auto indices = in.indices.as<int64_t, 2>();                                                            // (N, T)
  PARITY_CHECK(in.parts.size() <= kMostCombined, unsupported, "combine adds up to {} ranks, not {}", kMostCombined,
               in.parts.size());
  PARITY_CHECK(params.first_row >= 0 && params.first_row <= indices.extent[0] - y.extent[0], unsupported,
               "combine: rows {} to {} are outside of the {} tokens", params.first_row, params.first_row + y.extent[0],
               indices.extent[0]);
  PARITY_CHECK(params.count >= 1, unsupported, "combine: the parameter count is {}; each rank needs 1 or more experts",
               params.count);
  CombineParameters p{};
  p.out = operand(y);
  p.indices = operand(indices);
  for (const TensorView& part : in.parts) p.parts[p.ranks++] = operand(part.as<T, 2>());
  p.first_row = params.first_row;
  p.width = y.extent[1];
  p.slots = indices.extent[1];
  p.count = params.count;
  launch(context, {"combine", kernel_name<T>("combine"), {grid_extent(y.extent[0])}, {threads_for(p.width)}}, p);
}

/// Sums of a model in bf16 may be binary32.
template <class T>
void combine(const Combine::Inputs& in, const Combine::Params& params, const Combine::Outputs& out, Context& context) {
  if (out.out.dtype == DType::f32) return combine_terms<float>(in, params, out, context);
  combine_terms<T>(in, params, out, context);
}

}  // namespace

void register_cuda_combine(BackendKernels& kernels) {
  kernels.add<Combine>("f32", &combine<float>, true);
  kernels.add<Combine>("bf16", &combine<BFloat16>, true);
}

}  // namespace parity::optimized::cuda

#endif

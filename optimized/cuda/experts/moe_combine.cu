// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// moe_combine: a thread for 16 bytes of a row.
#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

struct MoeCombineParameters {
  Operand<2> routed, shared, out;                                             // (N, H); shared.data is null without one
  int64_t width;
  float scaling;
  bool rounds;   // after the product, too
  bool vectors;  // all rows may be read by 16 bytes
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/vector.cuh"

namespace parity::optimized::cuda {

template <class T>
__device__ float combined(const MoeCombineParameters& p, float routed, const float* shared) {
  float scaled = routed * p.scaling;
  if (p.rounds) scaled = widen(narrow<T>(scaled));
  return shared == nullptr ? scaled : __fadd_rn(scaled, *shared);
}

/// T: shared and out; Routed: what the experts put out, which may be wider.
template <class T, class Routed = T>
__device__ void moe_combine(const MoeCombineParameters& p) {
  constexpr int kEach = kVector<T>;
  const int64_t n = blockIdx.x, h = (int64_t{blockIdx.y} * blockDim.x + threadIdx.x) * kEach;
  const bool both = p.shared.data != nullptr;
  if constexpr (sizeof(T) == sizeof(Routed)) {
    if (p.vectors && h + kEach <= p.width) {
      float routed[kEach], shared[kEach], out[kEach];
      load_vector(at<T>(p.routed, n, h), routed);
      if (both) load_vector(at<T>(p.shared, n, h), shared);
#pragma unroll
      for (int i = 0; i < kEach; ++i) out[i] = combined<T>(p, routed[i], both ? &shared[i] : nullptr);
      store_vector(at<T>(p.out, n, h), out);
      return;
    }
  }
  for (int64_t i = h; i < h + kEach && i < p.width; ++i) {
    const float shared = both ? widen(*at<T>(p.shared, n, i)) : 0.0F;
    *at<T>(p.out, n, i) = narrow<T>(combined<T>(p, widen(*at<Routed>(p.routed, n, i)), both ? &shared : nullptr));
  }
}

extern "C" __global__ void moe_combine_f32(const __grid_constant__ MoeCombineParameters p) { moe_combine<float>(p); }
extern "C" __global__ void moe_combine_bf16(const __grid_constant__ MoeCombineParameters p) { moe_combine<Bf16>(p); }
extern "C" __global__ void moe_combine_bf16_f32(const __grid_constant__ MoeCombineParameters p) {
  moe_combine<Bf16, float>(p);
}

}  // namespace parity::optimized::cuda

#else

#include "core/components/experts/moe_combine.hpp"
#include "optimized/cuda/launch.hpp"
#include "optimized/cuda/vectors.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T, class Routed>
void combine(const MoeCombine::Inputs& in, const MoeCombine::Params& params, const MoeCombine::Outputs& out,
             Context& context, const std::string& kernel) {
  constexpr int64_t kEach = kVectorElements<T>;
  const auto routed = in.routed.as<Routed, 2>();                                                               // (N, H)
  const auto result = out.out.as<T, 2>();                                                                      // (N, H)
  const Precision scaled = points_of<MoeCombine>(context).scaled.precision;
  const int64_t width = routed.extent[1];
  PARITY_CHECK(result.extent == routed.extent, internal, "moe_combine reads and writes operands of one shape");
  MoeCombineParameters p{operand(routed),
                         {},
                         operand(result),
                         width,
                         static_cast<float>(params.scaling),
                         scaled == Precision::working,
                         has_vectors(routed) && has_vectors(result)};
  if (!in.shared.empty()) {
    const auto shared = in.shared.as<T, 2>();                                                                  // (N, H)
    PARITY_CHECK(shared.extent == routed.extent, internal, "moe_combine reads operands of one shape");
    p.shared = operand(shared);
    p.vectors = p.vectors && has_vectors(shared);
  }
  const int64_t threads = threads_for((width + kEach - 1) / kEach), across = threads * kEach;
  launch(context,
         {"moe_combine",
          kernel,
          {grid_extent(routed.extent[0]), grid_extent((width + across - 1) / across)},
          {static_cast<uint32_t>(threads)}},
         p);
}

template <class T>
void moe_combine(const MoeCombine::Inputs& in, const MoeCombine::Params& params, const MoeCombine::Outputs& out,
                 Context& context) {
  if (in.routed.dtype == DType::f32 && kDTypeOf<T> != DType::f32)
    return combine<T, float>(in, params, out, context, "moe_combine_bf16_f32");
  combine<T, T>(in, params, out, context, kernel_name<T>("moe_combine"));
}

}  // namespace

void register_cuda_moe_combine(BackendKernels& kernels) {
  kernels.add<MoeCombine>("f32", &moe_combine<float>);
  kernels.add<MoeCombine>("bf16", &moe_combine<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

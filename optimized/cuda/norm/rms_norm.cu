// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// rms_norm: a block for each row.
#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

struct RmsNormParameters {
  Operand<2> x, out;                                                                                           // (N, H)
  Operand<1> weight;                                                                                              // (H)
  int64_t width;
  float eps, gain_offset;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/block_sum.cuh"
#include "optimized/cuda/device/normed.cuh"

namespace parity::optimized::cuda {

template <class T>
__device__ void rms_norm(const RmsNormParameters& p) {
  float squares = 0.0F;
  for (int64_t h = threadIdx.x; h < p.width; h += blockDim.x) {
    const float x = widen(*at<T>(p.x, blockIdx.x, h));
    squares += x * x;
  }
  write_normed<T>(p, p.x, block_sum(squares));
}

extern "C" __global__ void rms_norm_f32(const __grid_constant__ RmsNormParameters p) { rms_norm<float>(p); }
extern "C" __global__ void rms_norm_bf16(const __grid_constant__ RmsNormParameters p) { rms_norm<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/norm/rms_norm.hpp"
#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void rms_norm(const RmsNorm::Inputs& in, const RmsNorm::Params& params, const RmsNorm::Outputs& out, Context& context) {
  const auto x = in.x.as<T, 2>(), result = out.out.as<T, 2>();                                                 // (N, H)
  const auto weight = in.weight.as<T, 1>();                                                                       // (H)
  const int64_t width = x.extent[1];
  PARITY_CHECK(result.extent == x.extent && weight.extent[0] == width, internal,
               "rms_norm reads rows of {} channels, with {} weights, and writes rows of {}", width, weight.extent[0],
               result.extent[1]);
  launch(context, {"rms_norm", kernel_name<T>("rms_norm"), {grid_extent(x.extent[0])}, {threads_for(width)}},
         RmsNormParameters{operand(x), operand(result), operand(weight), width, static_cast<float>(params.eps),
                           static_cast<float>(params.gain_offset)});
}

}  // namespace

void register_cuda_rms_norm(BackendKernels& kernels) {
  kernels.add<RmsNorm>("f32", &rms_norm<float>);
  kernels.add<RmsNorm>("bf16", &rms_norm<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

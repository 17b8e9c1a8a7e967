// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// add_norm: a block for each row. The sum is rounded as it is written, and normed as other nodes will read it.
#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

struct AddNormParameters {
  Operand<2> residual, branch, sum, out;                                                                       // (N, H)
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
__device__ void add_norm(const AddNormParameters& p) {
  const int64_t n = blockIdx.x;
  float squares = 0.0F;
  for (int64_t h = threadIdx.x; h < p.width; h += blockDim.x) {
    const T rounded = narrow<T>(widen(*at<T>(p.residual, n, h)) + widen(*at<T>(p.branch, n, h)));
    *at<T>(p.sum, n, h) = rounded;
    squares += widen(rounded) * widen(rounded);
  }
  write_normed<T>(p, p.sum, block_sum(squares));  // each thread reads what it wrote itself
}

extern "C" __global__ void add_norm_f32(const __grid_constant__ AddNormParameters p) { add_norm<float>(p); }
extern "C" __global__ void add_norm_bf16(const __grid_constant__ AddNormParameters p) { add_norm<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/fusions/add_norm.hpp"
#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void add_norm(const AddNorm::Inputs& in, const AddNorm::Params& params, const AddNorm::Outputs& out, Context& context) {
  const auto residual = in.residual.as<T, 2>(), branch = in.branch.as<T, 2>();                                 // (N, H)
  const auto sum = out.sum.as<T, 2>(), result = out.out.as<T, 2>();                                            // (N, H)
  const auto weight = in.weight.as<T, 1>();                                                                       // (H)
  const int64_t width = residual.extent[1];
  const bool alike = branch.extent == residual.extent && sum.extent == residual.extent && result.extent == sum.extent;
  PARITY_CHECK(alike && weight.extent[0] == width, internal, "add_norm reads and writes operands of one shape");
  launch(context, {"add_norm", kernel_name<T>("add_norm"), {grid_extent(residual.extent[0])}, {threads_for(width)}},
         AddNormParameters{operand(residual), operand(branch), operand(sum), operand(result), operand(weight), width,
                           static_cast<float>(params.eps), static_cast<float>(params.gain_offset)});
}

}  // namespace

void register_cuda_add_norm(BackendKernels& kernels) {
  kernels.fuse<AddNorm>("f32", &add_norm<float>);
  kernels.fuse<AddNorm>("bf16", &add_norm<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

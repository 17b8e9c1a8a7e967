// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// residual_add: a thread for each element.
#include "optimized/cuda/elementwise.hpp"

namespace parity::optimized::cuda {

struct ResidualFactors {
  float residual, branch;
};
using ResidualAddParameters = ElementParameters<2, ResidualFactors>;

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

namespace parity::optimized::cuda {

template <class T>
__device__ void residual_add(const ResidualAddParameters& p) {
  each<T>(p,
          [&](float residual, float branch) { return residual * p.constants.residual + branch * p.constants.branch; });
}

extern "C" __global__ void residual_add_f32(const __grid_constant__ ResidualAddParameters p) { residual_add<float>(p); }
extern "C" __global__ void residual_add_bf16(const __grid_constant__ ResidualAddParameters p) { residual_add<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/norm/residual_add.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void residual_add(const ResidualAdd::Inputs& in, const ResidualAdd::Params& params, const ResidualAdd::Outputs& out,
                  Context& context) {
  const ResidualFactors factors{static_cast<float>(params.residual_factor), static_cast<float>(params.branch_factor)};
  launch_each<T, 2>(context, "residual_add", {in.residual.as<T, 2>(), in.branch.as<T, 2>()}, out.out.as<T, 2>(),
                    factors);                                                                                  // (N, H)
}

}  // namespace

void register_cuda_residual_add(BackendKernels& kernels) {
  kernels.add<ResidualAdd>("f32", &residual_add<float>);
  kernels.add<ResidualAdd>("bf16", &residual_add<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

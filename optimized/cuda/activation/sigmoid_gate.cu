// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// sigmoid_gate: a thread for each element. The sigmoid stays in binary32.
#include "optimized/cuda/elementwise.hpp"

#ifdef __CUDACC__

#include "optimized/cuda/device/functions.cuh"

namespace parity::optimized::cuda {

template <class T>
__device__ void sigmoid_gate(const ElementParameters<2>& p) {
  each<T>(p, [](float gate, float x) { return logistic(gate) * x; });
}

extern "C" __global__ void sigmoid_gate_f32(const __grid_constant__ ElementParameters<2> p) { sigmoid_gate<float>(p); }
extern "C" __global__ void sigmoid_gate_bf16(const __grid_constant__ ElementParameters<2> p) { sigmoid_gate<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/activation/sigmoid_gate.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void sigmoid_gate(const SigmoidGate::Inputs& in, const SigmoidGate::Params&, const SigmoidGate::Outputs& out,
                  Context& context) {
  launch_each<T, 2>(context, "sigmoid_gate", {in.gate.as<T, 2>(), in.x.as<T, 2>()}, out.out.as<T, 2>());       // (N, H)
}

}  // namespace

void register_cuda_sigmoid_gate(BackendKernels& kernels) {
  kernels.add<SigmoidGate>("f32", &sigmoid_gate<float>);
  kernels.add<SigmoidGate>("bf16", &sigmoid_gate<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// swiglu: a thread for each element of the output.
#include "optimized/cuda/elementwise.hpp"

namespace parity::optimized::cuda {

struct SwigluConstants {
  float alpha, limit, offset;
  bool rounds;  // where the chain of operations that is followed does
};
using SwigluParameters = ElementParameters<2, SwigluConstants>;

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/functions.cuh"

namespace parity::optimized::cuda {

/// Clamps let NaN pass. If the oracle computes swiglu as a chain of operations, this kernel rounds where the chain
/// does. Clamped values are often equal, so without these roundings all of them would deviate to the same side.
template <class T>
__device__ void swiglu(const SwigluParameters& p) {
  const SwigluConstants& c = p.constants;
  const auto rounded = [&](float v) { return c.rounds ? widen(narrow<T>(v)) : v; };
  each<T>(p, [&](float gate, float up) {
    const float g = gate > c.limit ? c.limit : gate;
    const float most = up > c.limit ? c.limit : up, u = most < -c.limit ? -c.limit : most;
    const float sigmoid = rounded(logistic(rounded(g * c.alpha)));
    return rounded(u + c.offset) * rounded(g * sigmoid);
  });
}

extern "C" __global__ void swiglu_f32(const __grid_constant__ SwigluParameters p) { swiglu<float>(p); }
extern "C" __global__ void swiglu_bf16(const __grid_constant__ SwigluParameters p) { swiglu<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/activation/swiglu.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void swiglu(const Swiglu::Inputs& in, const Swiglu::Params& params, const Swiglu::Outputs& out, Context& context) {
  const auto both = in.gate_up.as<T, 2>();                                                                    // (N, 2F)
  const auto result = out.out.as<T, 2>();                                                                      // (N, F)
  PARITY_CHECK(both.extent[1] == 2 * result.extent[1], internal, "swiglu reads {} channels and writes {}",
               both.extent[1], result.extent[1]);
  Span<T, 2> gate = both, up = both;
  gate.extent[1] = up.extent[1] = result.extent[1];
  up.data += result.extent[1] * both.stride[1];
  const auto round = points_of<Swiglu>(context);
  const SwigluConstants constants{static_cast<float>(params.alpha),
                                  static_cast<float>(round.limit(params.limit)),  // in whose type the clamp compares
                                  static_cast<float>(params.linear_offset),
                                  round.gated.active && round.gated.precision == Precision::working};
  launch_each<T, 2>(context, "swiglu", {gate, up}, result, constants);
}

}  // namespace

void register_cuda_swiglu(BackendKernels& kernels) {
  kernels.add<Swiglu>("f32", &swiglu<float>);
  kernels.add<Swiglu>("bf16", &swiglu<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// dispatch: a block for each row of the result reads it in the memory of the rank that has its token, or clears it.
#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

constexpr int kMostDispatching = 64;

struct DispatchParameters {
  Operand<2> out;                                                                                              // (N, H)
  Operand<2> indices;                                                                                      // (N, T) i64
  Operand<2> parts[kMostDispatching];                                                                          // (L, H)
  int64_t end[kMostDispatching];       // the row after the last one of each part
  int64_t width, slots, first, count;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/element.cuh"

namespace parity::optimized::cuda {

template <class T>
__device__ void dispatch(const DispatchParameters& p) {
  const int64_t n = blockIdx.x;
  bool routed = false;
  for (int64_t t = 0; t < p.slots; ++t) {
    const int64_t e = *at<int64_t>(p.indices, n, t);
    routed = routed || (e >= p.first && e - p.first < p.count);
  }
  int part = 0;
  while (n >= p.end[part]) ++part;
  const int64_t row = n - (part == 0 ? 0 : p.end[part - 1]);
  for (int64_t h = threadIdx.x; h < p.width; h += blockDim.x)
    *at<T>(p.out, n, h) = routed ? *at<T>(p.parts[part], row, h) : narrow<T>(0.0F);
}

extern "C" __global__ void dispatch_f32(const __grid_constant__ DispatchParameters p) { dispatch<float>(p); }
extern "C" __global__ void dispatch_bf16(const __grid_constant__ DispatchParameters p) { dispatch<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/collective/dispatch.hpp"
#include "optimized/cuda/kernels.hpp"
#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void dispatch_rows(const Dispatch::Inputs& in, const Dispatch::Params& params, const Dispatch::Outputs& out,
                   Context& context) {
  const auto y = out.out.as<T, 2>();                                                                           // (N, H)
  const auto indices = in.indices.as<int64_t, 2>();                                                            // (N, T)
  PARITY_CHECK(in.parts.size() <= kMostDispatching, unsupported, "dispatch reads up to {} ranks, not {}",
               kMostDispatching, in.parts.size());
  DispatchParameters p{};
  p.out = operand(y);
  p.indices = operand(indices);
  int64_t rows = 0;
  for (size_t r = 0; r < in.parts.size(); ++r) {
    const auto part = in.parts[r].as<T, 2>();                                                                  // (L, H)
    p.parts[r] = operand(part);
    p.end[r] = rows += part.extent[0];
  }
  PARITY_CHECK(rows == y.extent[0] && rows == indices.extent[0], internal,
               "dispatch: parts of {} rows, indices of {}, and a result of {}", rows, indices.extent[0], y.extent[0]);
  p.width = y.extent[1];
  p.slots = indices.extent[1];
  p.first = params.first;
  p.count = params.count;
  launch(context, {"dispatch", kernel_name<T>("dispatch"), {grid_extent(rows)}, {threads_for(p.width)}}, p);
}

/// Weights of experts are binary32 in a model in bf16.
template <class T>
void dispatch(const Dispatch::Inputs& in, const Dispatch::Params& params, const Dispatch::Outputs& out,
              Context& context) {
  if (out.out.dtype == DType::f32) return dispatch_rows<float>(in, params, out, context);
  dispatch_rows<T>(in, params, out, context);
}

}  // namespace

void register_cuda_dispatch(BackendKernels& kernels) {
  kernels.add<Dispatch>("f32", &dispatch<float>, true);
  kernels.add<Dispatch>("bf16", &dispatch<BFloat16>, true);
}

}  // namespace parity::optimized::cuda

#endif

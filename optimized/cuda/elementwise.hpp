// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Functions of single elements: a thread for each. The device half says what is computed, the host half of which operands.
#pragma once

#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

struct NoConstants {};

/// Operands have the shape of the output, (N, H), and any strides.
template <int count, class Constants = NoConstants>
struct ElementParameters {
  Operand<2> in[count];
  Operand<2> out;
  int64_t width;
  Constants constants;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/element.cuh"

namespace parity::optimized::cuda {

/// out = function(a) or function(a, b), in binary32, one rounding to T.
template <class T, int count, class Constants, class Function>
__device__ void each(const ElementParameters<count, Constants>& p, const Function& function) {
  const int64_t n = blockIdx.x, h = int64_t{blockIdx.y} * blockDim.x + threadIdx.x;
  if (h >= p.width) return;
  const float a = widen(*at<T>(p.in[0], n, h));
  if constexpr (count == 1) {
    *at<T>(p.out, n, h) = narrow<T>(function(a));
  } else {
    static_assert(count == 2);
    *at<T>(p.out, n, h) = narrow<T>(function(a, widen(*at<T>(p.in[1], n, h))));
  }
}

}  // namespace parity::optimized::cuda

#else

#include <array>

#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {

/// Starts `name`_f32 or `name`_bf16 of the module `name`.
template <class T, size_t count, class Constants = NoConstants>
void launch_each(const Context& context, const std::string& name, const std::array<Span<T, 2>, count>& in,
                 const Span<T, 2>& out, const Constants& constants = {}) {
  ElementParameters<static_cast<int>(count), Constants> parameters{{}, operand(out), out.extent[1], constants};
  for (size_t i = 0; i < count; ++i) {
    PARITY_CHECK(in[i].extent == out.extent, internal, "{} needs operands of one shape", name);
    parameters.in[i] = operand(in[i]);
  }
  const uint32_t threads = threads_for(out.extent[1]);
  const uint32_t pieces = grid_extent((out.extent[1] + threads - 1) / threads);
  launch(context, {name, kernel_name<T>(name), {grid_extent(out.extent[0]), pieces}, {threads}}, parameters);
}

/// A kernel of the one operand x without parameters.
template <class C, class T>
void of_one(const typename C::Inputs& in, const typename C::Params& /*params*/, const typename C::Outputs& out,
            Context& context) {
  launch_each<T, 1>(context, C::text.name, {in.x.template as<T, 2>()}, out.out.template as<T, 2>());           // (N, F)
}

template <class C>
void add_of_one(BackendKernels& kernels) {
  kernels.add<C>("f32", &of_one<C, float>);
  kernels.add<C>("bf16", &of_one<C, BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

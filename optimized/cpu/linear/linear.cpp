// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/linear/linear.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/linear/linear_call.hpp"

namespace parity::optimized {
namespace {

/// Returns an operand of any type as dense binary32: biases, and binary32 routers after 16-bit activations.
float* widened(const TensorView& view, Workspace& workspace) {
  const int64_t count = view.count();
  auto* target = workspace.take_elements<float>(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) target[i] = static_cast<float>(view.value(i));
  return target;
}

Span<float, 2> widened_matrix(const TensorView& view, Workspace& workspace) {
  const int64_t width = view.shape.back();
  return {widened(view, workspace), {width == 0 ? 0 : view.count() / width, width}, {width, 1}};
}

template <class T>
void multiply(const Span<T, 2>& x, const Span<T, 2>& weight, const float* bias, const Span<T, 2>& out,
              Workspace& workspace) {
  PARITY_CHECK(weight.extent[0] * weight.extent[1] == 0 || weight.extent[1] <= 1 || weight.stride[1] == 1, internal,
               "linear needs weights with contiguous channels");
  const T* dense = weight.data;
  if (weight.stride[0] != weight.extent[1]) {
    auto* copy = workspace.take_elements<T>(static_cast<size_t>(weight.extent[0] * weight.extent[1]));
    for (int64_t f = 0; f < weight.extent[0]; ++f)
      std::copy_n(weight.data + f * weight.stride[0], weight.extent[1], copy + f * weight.extent[1]);
    dense = copy;
  }
  cpu::LinearCall<T> call(x, out, bias, workspace);
  call.run(call.piece(), [&](int64_t first, int64_t, int) { return dense + first * weight.extent[1]; });
}

template <class T>
void linear(const Linear::Inputs& in, const Linear::Params&, const Linear::Outputs& out, Context& context) {
  Workspace& workspace = *context.workspace;
  const float* bias = in.bias.empty() ? nullptr : widened(in.bias, workspace);
  const DType type = kDTypeOf<T>;
  if (in.x.dtype == type && in.weight.dtype == type && out.out.dtype == type)
    return multiply<T>(in.x.as<T, 2>(), in.weight.as<T, 2>(), bias, out.out.as<T, 2>(), workspace);
  multiply<float>(widened_matrix(in.x, workspace), widened_matrix(in.weight, workspace), bias, out.out.as<float, 2>(),
                  workspace);
}

}  // namespace

void register_cpu_linear(BackendKernels& kernels) {
  kernels.add<Linear>("f32", &linear<float>, true);
  kernels.add<Linear>("bf16", &linear<BFloat16>, true);
}

}  // namespace parity::optimized

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// dispatch: rows with an expert of the rank are copied, others are cleared.
#include "core/components/collective/dispatch.hpp"

#include <algorithm>

#include "optimized/backends.hpp"

namespace parity::optimized {
namespace {

bool is_dispatched(const Span<int64_t, 2>& indices, int64_t n, const Dispatch::Params& params) {
  for (int64_t t = 0; t < indices.extent[1]; ++t) {
    const int64_t e = indices(n, t);
    if (e >= params.first && e - params.first < params.count) return true;
  }
  return false;
}

template <class T>
void dispatch_rows(const Dispatch::Inputs& in, const Dispatch::Params& params, const Dispatch::Outputs& out) {
  const auto y = out.out.as<T, 2>();                                                                           // (N, H)
  const auto indices = in.indices.as<int64_t, 2>();                                                            // (N, T)
  int64_t n = 0;
  for (const TensorView& part : in.parts) {
    const auto x = part.as<T, 2>();                                                                            // (L, H)
    PARITY_CHECK(n + x.extent[0] <= std::min(y.extent[0], indices.extent[0]), internal,
                 "dispatch: the parts have more rows than the {} of the indices", indices.extent[0]);
    for (int64_t row = 0; row < x.extent[0]; ++row, ++n) {
      const bool routed = is_dispatched(indices, n, params);
      for (int64_t h = 0; h < y.extent[1]; ++h) y(n, h) = routed ? x(row, h) : T{};
    }
  }
}

/// Weights of experts are binary32 in a model in bf16.
template <class T>
void dispatch(const Dispatch::Inputs& in, const Dispatch::Params& params, const Dispatch::Outputs& out, Context&) {
  if (out.out.dtype == DType::f32) return dispatch_rows<float>(in, params, out);
  dispatch_rows<T>(in, params, out);
}

}  // namespace

void register_cpu_dispatch(BackendKernels& kernels) {
  kernels.add<Dispatch>("f32", &dispatch<float>, true);
  kernels.add<Dispatch>("bf16", &dispatch<BFloat16>, true);
}

}  // namespace parity::optimized

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// reduce_scatter: a rank adds its rows of the parts of all ranks in the prescribed order.
#include "core/components/collective/reduce_scatter.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/collective/rank_sum.hpp"

namespace parity::optimized {
namespace {

template <class T>
void scatter_sums(const ReduceScatter::Inputs& in, const ReduceScatter::Params& params,
                  const ReduceScatter::Outputs& out) {
  constexpr DType type = kDTypeOf<T>;
  const auto y = out.out.as<T, 2>();                                                                           // (L, H)
  const int64_t rows = y.extent[0], width = y.extent[1];
  const TensorView& whole = in.parts.front();                                                                  // (N, H)
  PARITY_CHECK(params.first_row >= 0 && params.first_row <= whole.shape.front() - rows, unsupported,
               "reduce_scatter: rows {} to {} are outside of parts with {} rows", params.first_row,
               params.first_row + rows, whole.shape.front());
  std::vector<Span<T, 2>> parts;
  for (const TensorView& part : in.parts) parts.push_back(part.as<T, 2>());
  const auto order = static_cast<SumOrder>(params.order);
  const SumRoute route = route_of(order, whole.count(), static_cast<int64_t>(parts.size()), sizeof(T));
  std::vector<double> values(parts.size());
  for (int64_t n = 0; n < rows; ++n) {
    const int64_t row = params.first_row + n;
    for (int64_t h = 0; h < width; ++h) {
      for (size_t r = 0; r < parts.size(); ++r) values[r] = load_element(type, cpu::address(parts[r], row, h));
      store_element(type, cpu::address(y, n, h), cpu::sum_of(values, order, route, row * width + h, type));
    }
  }
}

/// Sums of a model in bf16 may be binary32.
template <class T>
void reduce_scatter(const ReduceScatter::Inputs& in, const ReduceScatter::Params& params,
                    const ReduceScatter::Outputs& out, Context&) {
  if (out.out.dtype == DType::f32) return scatter_sums<float>(in, params, out);
  scatter_sums<T>(in, params, out);
}

}  // namespace

void register_cpu_reduce_scatter(BackendKernels& kernels) {
  kernels.add<ReduceScatter>("f32", &reduce_scatter<float>, true);
  kernels.add<ReduceScatter>("bf16", &reduce_scatter<BFloat16>, true);
}

}  // namespace parity::optimized

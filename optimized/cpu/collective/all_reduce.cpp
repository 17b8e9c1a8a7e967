// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// all_reduce: every rank reads the parts of all ranks and adds them in the prescribed order.
#include "core/components/collective/all_reduce.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/collective/rank_sum.hpp"

namespace parity::optimized {
namespace {

template <class T>
void sum_ranks(const AllReduce::Inputs& in, const AllReduce::Params& params, const AllReduce::Outputs& out, Context&) {
  constexpr DType type = kDTypeOf<T>;
  const auto y = out.out.as<T, 2>();                                                                           // (N, H)
  const size_t ranks = in.parts.size();
  std::vector<Span<T, 2>> parts;
  for (const TensorView& part : in.parts) parts.push_back(part.as<T, 2>());
  const int64_t count = y.extent[0] * y.extent[1];
  const auto order = static_cast<SumOrder>(params.order);
  const SumRoute route = route_of(order, count, static_cast<int64_t>(ranks), sizeof(T));
  std::vector<double> values(ranks);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t n = i / y.extent[1], h = i % y.extent[1];
    for (size_t r = 0; r < ranks; ++r) values[r] = load_element(type, cpu::address(parts[r], n, h));
    const double sum = cpu::sum_of(values, order, route, i, type);
    store_element(type, cpu::address(y, n, h), sum);
  }
}

/// Sums of a model in bf16 may be binary32.
template <class T>
void all_reduce(const AllReduce::Inputs& in, const AllReduce::Params& params, const AllReduce::Outputs& out,
                Context& context) {
  if (out.out.dtype == DType::f32) return sum_ranks<float>(in, params, out, context);
  sum_ranks<T>(in, params, out, context);
}

}  // namespace

void register_cpu_all_reduce(BackendKernels& kernels) {
  kernels.add<AllReduce>("f32", &all_reduce<float>, true);
  kernels.add<AllReduce>("bf16", &all_reduce<BFloat16>, true);
}

}  // namespace parity::optimized

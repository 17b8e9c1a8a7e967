// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// all_reduce: every rank reads the parts of all ranks and adds them in the prescribed order.
#include "core/components/collective/all_reduce.hpp"

#include "optimized/backends.hpp"

namespace parity::optimized {
namespace {

double tree_sum(std::vector<double>& sums, DType type) {
  for (size_t count = sums.size(); count > 1; count = (count + 1) / 2) {
    for (size_t i = 0; i < count / 2; ++i) sums[i] = round_to(type, sums[2 * i] + sums[2 * i + 1]);
    if (count % 2 != 0) sums[count / 2] = sums[count - 1];
  }
  return sums.front();
}

double sum_from(const std::vector<double>& parts, size_t rank, size_t step, DType type) {
  double total = parts[rank];
  for (size_t i = 1; i < parts.size(); ++i) {
    rank = (rank + step) % parts.size();
    total = round_to(type, total + parts[rank]);
  }
  return total;
}

template <class T>
std::byte* address(const Span<T, 2>& span, int64_t n, int64_t h) {
  return reinterpret_cast<std::byte*>(&span(n, h));
}

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
    for (size_t r = 0; r < ranks; ++r) values[r] = load_element(type, address(parts[r], n, h));
    const size_t first = static_cast<size_t>(i / route.chunk + route.start) % ranks;
    const double sum = order == SumOrder::tree ? tree_sum(values, type)
                                               : sum_from(values, first, static_cast<size_t>(route.step), type);
    store_element(type, address(y, n, h), sum);
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

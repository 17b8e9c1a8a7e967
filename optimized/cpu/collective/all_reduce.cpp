// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// all_reduce: every rank reads the parts of all ranks and adds them in the prescribed order.
#include "core/components/collective/all_reduce.hpp"

#include "optimized/backends.hpp"

namespace parity::optimized {
namespace {

template <class T>
float added(float a, float b) {
  return static_cast<float>(static_cast<T>(a + b));
}

template <class T>
float tree_sum(std::vector<float>& sums) {
  for (size_t count = sums.size(); count > 1; count = (count + 1) / 2) {
    for (size_t i = 0; i < count / 2; ++i) sums[i] = added<T>(sums[2 * i], sums[2 * i + 1]);
    if (count % 2 != 0) sums[count / 2] = sums[count - 1];
  }
  return sums.front();
}

template <class T>
float sum_from(const std::vector<float>& parts, size_t first) {
  float total = parts[first];
  for (size_t i = 1; i < parts.size(); ++i) total = added<T>(total, parts[(first + i) % parts.size()]);
  return total;
}

template <class T>
void all_reduce(const AllReduce::Inputs& in, const AllReduce::Params& params, const AllReduce::Outputs& out, Context&) {
  const auto y = out.out.as<T, 2>();  // (N, H)
  const size_t ranks = in.parts.size();
  std::vector<Span<T, 2>> parts;
  for (const TensorView& part : in.parts) parts.push_back(part.as<T, 2>());
  const int64_t count = y.extent[0] * y.extent[1];
  const auto chunk = std::max<int64_t>((count + static_cast<int64_t>(ranks) - 1) / static_cast<int64_t>(ranks), 1);
  std::vector<float> values(ranks);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t n = i / y.extent[1], h = i % y.extent[1];
    for (size_t r = 0; r < ranks; ++r) values[r] = static_cast<float>(parts[r](n, h));
    const size_t first = params.order == 1 ? static_cast<size_t>(i / chunk + 1) % ranks : 0;
    y(n, h) = static_cast<T>(params.order == 2 ? tree_sum<T>(values) : sum_from<T>(values, first));
  }
}

}  // namespace

void register_cpu_all_reduce(BackendKernels& kernels) {
  kernels.add<AllReduce>("f32", &all_reduce<float>, true);
  kernels.add<AllReduce>("bf16", &all_reduce<BFloat16>, true);
}

}  // namespace parity::optimized

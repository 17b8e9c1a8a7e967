// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// combine: a token's terms of the ranks that have its experts are added in binary32, in the order of ranks.
#include "core/components/collective/combine.hpp"

#include <algorithm>

#include "optimized/backends.hpp"
#include "optimized/cpu/collective/rank_sum.hpp"

namespace parity::optimized {
namespace {

/// Marks the ranks that have an expert of a token.
void mark_combined(const Span<int64_t, 2>& indices, int64_t row, int64_t count, std::vector<char>& has) {
  std::fill(has.begin(), has.end(), char{0});
  for (int64_t t = 0; t < indices.extent[1]; ++t) {
    const int64_t e = indices(row, t);
    if (e >= 0 && e / count < static_cast<int64_t>(has.size())) has[static_cast<size_t>(e / count)] = 1;
  }
}

template <class T>
void combine_terms(const Combine::Inputs& in, const Combine::Params& params, const Combine::Outputs& out) {
  constexpr DType type = kDTypeOf<T>;
  const auto y = out.out.as<T, 2>();                                                                           // (L, H)
  const auto indices = in.indices.as<int64_t, 2>();                                                            // (N, T)
  PARITY_CHECK(params.first_row >= 0 && params.first_row <= indices.extent[0] - y.extent[0], unsupported,
               "combine: rows {} to {} are outside of the {} tokens", params.first_row, params.first_row + y.extent[0],
               indices.extent[0]);
  PARITY_CHECK(params.count >= 1, unsupported, "combine: the parameter count is {}; each rank needs 1 or more experts",
               params.count);
  std::vector<Span<T, 2>> parts;                                                                               // (N, H)
  for (const TensorView& part : in.parts) parts.push_back(part.as<T, 2>());
  std::vector<char> has(parts.size());
  for (int64_t n = 0; n < y.extent[0]; ++n) {
    const int64_t row = params.first_row + n;
    mark_combined(indices, row, params.count, has);
    for (int64_t h = 0; h < y.extent[1]; ++h) {
      float sum = 0.0F;
      bool any = false;
      for (size_t r = 0; r < parts.size(); ++r) {
        if (has[r] == 0) continue;
        const auto term = static_cast<float>(load_element(type, cpu::address(parts[r], row, h)));
        sum = any ? sum + term : term;  // 0 + -0 would be 0
        any = true;
      }
      store_element(type, cpu::address(y, n, h), sum);
    }
  }
}

/// Sums of a model in bf16 may be binary32.
template <class T>
void combine(const Combine::Inputs& in, const Combine::Params& params, const Combine::Outputs& out, Context&) {
  if (out.out.dtype == DType::f32) return combine_terms<float>(in, params, out);
  combine_terms<T>(in, params, out);
}

}  // namespace

void register_cpu_combine(BackendKernels& kernels) {
  kernels.add<Combine>("f32", &combine<float>, true);
  kernels.add<Combine>("bf16", &combine<BFloat16>, true);
}

}  // namespace parity::optimized

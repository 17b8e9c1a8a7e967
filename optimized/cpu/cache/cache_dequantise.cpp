// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/cache/cache_dequantise.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/cache/coded_rows.hpp"

namespace parity::optimized {
namespace {

template <class T>
void cache_dequantise(const CacheDequantise::Inputs& in, const CacheDequantise::Params&,
                      const CacheDequantise::Outputs& out, Context&) {
  const auto codes = cpu::bytes_of_codes(in.codes);                                                      // (B, G, K, D)
  const auto scale = in.scale.as<float, 1>();                                                                     // (G)
  const auto y = out.out.as<T, 4>();                                                                     // (B, G, K, D)
  PARITY_CHECK(y.extent == codes.extent && scale.extent[0] == codes.extent[1], internal,
               "cache_dequantise writes as many numbers as it reads codes, with a scale for each head");
  cpu::each_cache_row(codes.extent, [&](int64_t b, int64_t g, int64_t k) {
    const float factor = scale(g);
    for (int64_t d = 0; d < codes.extent[3]; ++d) {
      const float number = cpu::number_of_e4m3(codes(b, g, k, d)) * factor;
      store_element(kDTypeOf<T>, reinterpret_cast<std::byte*>(&y(b, g, k, d)), static_cast<double>(number));
    }
  });
}

}  // namespace

void register_cpu_cache_dequantise(BackendKernels& kernels) {
  kernels.add<CacheDequantise>("f32", &cache_dequantise<float>, true);
  kernels.add<CacheDequantise>("bf16", &cache_dequantise<BFloat16>, true);
}

}  // namespace parity::optimized

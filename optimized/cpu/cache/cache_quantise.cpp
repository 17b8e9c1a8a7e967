// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/cache/cache_quantise.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/activation/elementwise.hpp"
#include "optimized/cpu/cache/coded_rows.hpp"

namespace parity::optimized {
namespace {

template <class T>
void cache_quantise(const CacheQuantise::Inputs& in, const CacheQuantise::Params&, const CacheQuantise::Outputs& out,
                    Context&) {
  const auto x = in.x.as<T, 4>();                                                                        // (B, G, S, D)
  const auto scale = in.scale.as<float, 1>();                                                                     // (G)
  const auto codes = cpu::bytes_of_codes(out.codes);                                                     // (B, G, S, D)
  PARITY_CHECK(x.extent == codes.extent && scale.extent[0] == x.extent[1], internal,
               "cache_quantise writes as many codes as it reads numbers, with a scale for each head");
  cpu::each_cache_row(x.extent, [&](int64_t b, int64_t g, int64_t s) {
    const float divisor = scale(g);
    for (int64_t d = 0; d < x.extent[3]; ++d)
      codes(b, g, s, d) = cpu::e4m3_of(elementwise::number(x(b, g, s, d)) / divisor);
  });
}

}  // namespace

void register_cpu_cache_quantise(BackendKernels& kernels) {
  kernels.add<CacheQuantise>("f32", &cache_quantise<float>);
  kernels.add<CacheQuantise>("bf16", &cache_quantise<BFloat16>);
}

}  // namespace parity::optimized

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// cache_dequantise: threads for each slot of each head, sixteen codes at a time.
#include "optimized/cuda/cache/coded_cache.hpp"

#ifdef __CUDACC__

#include "optimized/cuda/device/codes.cuh"

namespace parity::optimized::cuda {

template <class T>
__device__ void dequantise_rows(const CodedCacheParameters& p) {
  const int64_t row = row_of_thread();
  if (row >= p.rows) return;
  const int64_t head = row / p.slots, g = head % p.heads;
  const float scale = *at<float>(p.scale, g);
  const auto group = [&](T* numbers, const uint8_t* codes) {
    const uint4 bits = *reinterpret_cast<const uint4*>(codes);
    const uint32_t words[4]{bits.x, bits.y, bits.z, bits.w};
#pragma unroll
    for (int part = 0; part < kCacheCodes; part += kVector<T>) {
      float some[kVector<T>];
#pragma unroll
      for (int i = 0; i < kVector<T>; ++i)
        some[i] = number_of_code(words[(part + i) / 4] >> (i % 4 * 8U) & 0xFFU) * scale;
      store_vector<T>(numbers + part, some);
    }
  };
  each_code<T>(p, head / p.heads, g, row % p.slots, group,
               [&](T* number, const uint8_t* code) { *number = narrow<T>(number_of_code(*code) * scale); });
}

extern "C" __global__ void cache_dequantise_f32(const __grid_constant__ CodedCacheParameters p) {
  dequantise_rows<float>(p);
}
extern "C" __global__ void cache_dequantise_bf16(const __grid_constant__ CodedCacheParameters p) {
  dequantise_rows<Bf16>(p);
}

}  // namespace parity::optimized::cuda

#else

#include "core/components/cache/cache_dequantise.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void cache_dequantise(const CacheDequantise::Inputs& in, const CacheDequantise::Params&,
                      const CacheDequantise::Outputs& out, Context& context) {
  launch_coded_cache(context, "cache_dequantise", out.out.as<T, 4>(), in.codes, in.scale.as<float, 1>());
}

}  // namespace

void register_cuda_cache_dequantise(BackendKernels& kernels) {
  kernels.add<CacheDequantise>("f32", &cache_dequantise<float>, true);
  kernels.add<CacheDequantise>("bf16", &cache_dequantise<BFloat16>, true);
}

}  // namespace parity::optimized::cuda

#endif

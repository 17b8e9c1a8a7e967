// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// cache_quantise: threads for each slot of each head, sixteen codes at a time.
#include "optimized/cuda/cache/coded_cache.hpp"

#ifdef __CUDACC__

#include "optimized/cuda/device/encode.cuh"

namespace parity::optimized::cuda {

/// Divides, because a product with the reciprocal has other bits near a boundary between two codes.
template <class T>
__device__ void quantise_rows(const CodedCacheParameters& p) {
  const int64_t row = row_of_thread();
  if (row >= p.rows) return;
  const int64_t head = row / p.slots, g = head % p.heads;
  const float scale = *at<float>(p.scale, g);
  const auto group = [&](const T* numbers, uint8_t* codes) {
    uint32_t words[4]{};
#pragma unroll
    for (int part = 0; part < kCacheCodes; part += kVector<T>) {
      float some[kVector<T>];
      load_vector<T>(numbers + part, some);
#pragma unroll
      for (int i = 0; i < kVector<T>; ++i)
        words[(part + i) / 4] |= code_of_number(__fdiv_rn(some[i], scale)) << (i % 4 * 8U);
    }
    *reinterpret_cast<uint4*>(codes) = make_uint4(words[0], words[1], words[2], words[3]);
  };
  each_code<T>(p, head / p.heads, g, row % p.slots, group, [&](const T* number, uint8_t* code) {
    *code = static_cast<uint8_t>(code_of_number(__fdiv_rn(widen(*number), scale)));
  });
}

extern "C" __global__ void cache_quantise_f32(const __grid_constant__ CodedCacheParameters p) {
  quantise_rows<float>(p);
}
extern "C" __global__ void cache_quantise_bf16(const __grid_constant__ CodedCacheParameters p) {
  quantise_rows<Bf16>(p);
}

}  // namespace parity::optimized::cuda

#else

#include "core/components/cache/cache_quantise.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void cache_quantise(const CacheQuantise::Inputs& in, const CacheQuantise::Params&, const CacheQuantise::Outputs& out,
                    Context& context) {
  launch_coded_cache(context, "cache_quantise", in.x.as<T, 4>(), out.codes, in.scale.as<float, 1>());
}

}  // namespace

void register_cuda_cache_quantise(BackendKernels& kernels) {
  kernels.add<CacheQuantise>("f32", &cache_quantise<float>);
  kernels.add<CacheQuantise>("bf16", &cache_quantise<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

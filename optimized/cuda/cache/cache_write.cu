// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// cache_write: threads for each slot of the buffer, written or kept.
#include "optimized/cuda/cache/slot_rows.hpp"

#ifdef __CUDACC__

namespace parity::optimized::cuda {

extern "C" __global__ void cache_write_f32(const __grid_constant__ SlotRowsParameters p) { move_slots<float>(p); }
extern "C" __global__ void cache_write_bf16(const __grid_constant__ SlotRowsParameters p) { move_slots<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/cache/cache_write.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void cache_write(const CacheWrite::Inputs& in, const CacheWrite::Params& params, const CacheWrite::Outputs& out,
                 Context& context) {
  const auto fresh = in.fresh.as<T, 4>(), result = out.out.as<T, 4>();                     // (B, G, S, D), (B, G, K, D)
  const auto past = in.past.empty() ? Span<T, 4>{} : in.past.as<T, 4>();                                 // (B, G, K, D)
  const int64_t last = params.filled + fresh.extent[2];
  PARITY_CHECK(params.filled >= 0 && last <= result.extent[2], schema,
               "cache_write: slots {} to {} are written to a buffer of {}; give the cache more slots", params.filled,
               last - 1, result.extent[2]);
  PARITY_CHECK(in.past.empty() || past.extent == result.extent, schema,
               "cache_write: a tensor of shape {} does not fit into a buffer of shape {}", to_string(in.past.shape),
               to_string(out.out.shape));
  launch_slots(context, "cache_write", past, fresh, result, params.filled);
}

}  // namespace

void register_cuda_cache_write(BackendKernels& kernels) {
  kernels.add<CacheWrite>("f32", &cache_write<float>);
  kernels.add<CacheWrite>("bf16", &cache_write<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

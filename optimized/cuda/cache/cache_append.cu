// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// cache_append: threads for each slot of each head, the old ones and the new in one launch.
#include "optimized/cuda/cache/slot_rows.hpp"

#ifdef __CUDACC__

namespace parity::optimized::cuda {

extern "C" __global__ void cache_append_f32(const __grid_constant__ SlotRowsParameters p) { move_slots<float>(p); }
extern "C" __global__ void cache_append_bf16(const __grid_constant__ SlotRowsParameters p) { move_slots<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/cache/cache_append.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void cache_append(const CacheAppend::Inputs& in, const CacheAppend::Params&, const CacheAppend::Outputs& out,
                  Context& context) {
  const auto fresh = in.fresh.as<T, 4>(), result = out.out.as<T, 4>();                                   // (B, G, S, D)
  const auto past = in.past.empty() ? Span<T, 4>{} : in.past.as<T, 4>();                                 // (B, G, P, D)
  PARITY_CHECK(result.extent[2] == past.extent[2] + fresh.extent[2], internal,
               "cache_append writes {} slots, but is given {} and {}", result.extent[2], past.extent[2],
               fresh.extent[2]);
  launch_slots(context, "cache_append", past, fresh, result, past.extent[2]);
}

}  // namespace

void register_cuda_cache_append(BackendKernels& kernels) {
  kernels.add<CacheAppend>("f32", &cache_append<float>);
  kernels.add<CacheAppend>("bf16", &cache_append<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/cache/cache_append.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/cache/cache_rows.hpp"

namespace parity::optimized {
namespace {

template <class T>
void cache_append(const CacheAppend::Inputs& in, const CacheAppend::Params&, const CacheAppend::Outputs& out,
                  Context&) {
  const auto fresh = in.fresh.as<T, 4>();                                                                // (B, G, S, D)
  const auto result = out.out.as<T, 4>();                                                            // (B, G, P + S, D)
  int64_t held = 0;
  if (!in.past.empty()) {
    const auto past = in.past.as<T, 4>();                                                                // (B, G, P, D)
    held = past.extent[2];
    cpu::copy_slots(past, result, 0);
  }
  cpu::copy_slots(fresh, result, held);
}

}  // namespace

void register_cpu_cache_append(BackendKernels& kernels) {
  kernels.add<CacheAppend>("f32", &cache_append<float>);
  kernels.add<CacheAppend>("bf16", &cache_append<BFloat16>);
}

}  // namespace parity::optimized

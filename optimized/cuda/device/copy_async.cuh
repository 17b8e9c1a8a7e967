// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Copies from global to shared memory that a thread waits for later.
#pragma once

#include <cstdint>

namespace parity::optimized::cuda {

constexpr int kCopied = 16;  // bytes of one copy

__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

/// `bytes` of `source`, then zeros up to kCopied. Both ends are aligned to kCopied; past L1, which a tile does not reuse.
__device__ inline void copy_async(uint32_t target, const void* source, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(__cvta_generic_to_global(source)),
               "r"(bytes)
               : "memory");
}

/// The copies since the last call become a group.
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until at most `most` groups of copies of this thread are under way.
template <int most>
__device__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(most) : "memory");
}

}  // namespace parity::optimized::cuda

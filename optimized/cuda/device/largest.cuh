// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The largest scores of a row, in the order in which models choose: descending, at ties the smaller index, NaN above all.
#pragma once

#include "optimized/cuda/device/block_join.cuh"

namespace parity::optimized::cuda {

constexpr uint32_t kCodeOfLeast = 0x007FFFFFU;  // order_code of -infinity: no number has a smaller one

/// Returns an integer for a number, in the same order. All NaN have the same integer, and so have both zeros.
__device__ inline uint32_t order_code(float x) {
  if (x != x) return 0xFFFFFFFFU;
  const uint32_t bits = x == 0.0F ? 0U : __float_as_uint(x);
  return bits >> 31U != 0 ? ~bits : bits | 0x80000000U;
}
__device__ inline float number_of_order(uint32_t code) {
  return __uint_as_float(code >> 31U != 0 ? code & 0x7FFFFFFFU : ~code);
}

/// A score and its index: larger for what is chosen first. It is never 0, which means that there is no key, and never
/// kAboveKeys.
constexpr uint64_t kAboveKeys = ~uint64_t{0};
__device__ inline uint64_t key_of(float score, int64_t index) {
  return uint64_t{order_code(score)} << 32U | (0xFFFFFFFEU - static_cast<uint32_t>(index));
}
__device__ inline uint32_t code_of_key(uint64_t key) { return static_cast<uint32_t>(key >> 32U); }
__device__ inline int64_t index_of_key(uint64_t key) { return 0xFFFFFFFEU - static_cast<uint32_t>(key); }

/// Returns the largest key of the warp to every lane.
__device__ inline uint64_t warp_largest(uint64_t key) {
  const uint32_t high = __reduce_max_sync(0xFFFFFFFFU, code_of_key(key));
  const uint32_t low = __reduce_max_sync(0xFFFFFFFFU, code_of_key(key) == high ? static_cast<uint32_t>(key) : 0U);
  return uint64_t{high} << 32U | low;
}

/// Called like joined_in_block.
__device__ inline uint64_t block_largest(uint64_t key) { return joined_in_block(key, uint64_t{0}, warp_largest); }

/// take(t, key) in every thread for the `count` largest keys of all threads, descending; 0 when none is left.
/// below(bound): the largest key of this thread's share that is less than `bound`, or 0. Only who loses a key looks again.
template <class Below, class Largest, class Take>
__device__ void each_largest(int64_t count, const Below& below, const Largest& largest, const Take& take) {
  uint64_t own = below(kAboveKeys);
  for (int64_t t = 0; t < count; ++t) {
    const uint64_t winner = largest(own);
    take(t, winner);
    if (winner != 0 && own == winner) own = below(winner);
  }
}

}  // namespace parity::optimized::cuda

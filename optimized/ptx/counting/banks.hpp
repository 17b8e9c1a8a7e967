// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Wavefronts of an access of shared memory: how many times its banks have to deliver a word.
#pragma once

#include <span>

#include "optimized/ptx/counting/counters.hpp"

namespace parity::ptx {

inline constexpr uint32_t kBanks = 32, kBankBytes = 4;

/// Lanes that a wavefront can serve together: all of 32 bits, half a warp of 64, a quarter of 128.
[[nodiscard]] constexpr uint32_t lanes_together(uint32_t bytes) {
  return bytes <= kBankBytes ? kLanes : kLanes * kBankBytes / bytes;
}

/// Counts the wavefronts of the lanes in the mask, each of which accesses `bytes` bytes at its offset. Lanes that
/// access the same word are served together. With `apart` they are not, because an atomic operation changes a word once
/// for each lane.
[[nodiscard]] WavefrontCount wavefronts(std::span<const uint64_t, kLanes> offsets, Mask mask, uint32_t bytes,
                                        bool apart);

}  // namespace parity::ptx

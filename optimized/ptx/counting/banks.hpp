// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Wavefronts of an access of shared memory: how often its banks must deliver.
#pragma once

#include <span>

#include "optimized/ptx/counting/counters.hpp"

namespace parity::ptx {

inline constexpr uint32_t kBanks = 32, kBankBytes = 4;

/// Lanes that a wavefront can serve together: all of 32 bits, half a warp of 64, a quarter of 128.
[[nodiscard]] constexpr uint32_t lanes_together(uint32_t bytes) {
  return bytes <= kBankBytes ? kLanes : kLanes * kBankBytes / bytes;
}

/// Of the lanes in the mask, each with `bytes` bytes at its offset. Lanes that want the same word get it together;
/// with `apart` they do not: an atomic operation changes a word once for each lane.
[[nodiscard]] WavefrontCount wavefronts(std::span<const uint64_t, kLanes> offsets, Mask mask, uint32_t bytes,
                                        bool apart);

}  // namespace parity::ptx

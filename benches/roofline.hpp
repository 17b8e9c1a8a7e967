// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What an ideal kernel would take: the work that it cannot avoid, at the peaks of this machine. Pure functions.
#pragma once

#include "core/dtype.hpp"

namespace parity::benches {

/// What an ideal kernel has to do: products and sums, and bytes that must be read or written once.
struct Work {
  double flops = 0, read = 0, written = 0;

  [[nodiscard]] double bytes() const { return read + written; }
};

/// What one run of this machine reached.
struct Peaks {
  double f32 = 0, bf16 = 0;  // FLOP/s: the best of the figures below
  double copy = 0;           // bytes read and written per second
  double read = 0;           // bytes read per second
  double cache = 0;          // bytes that the private caches of all threads hold
  /// Multiply-adds and BF16 products of registers at the level in use; LibTorch's matrix product, which may have matrix
  /// units that the level has not (0 without LibTorch).
  double f32_loop = 0, bf16_loop = 0, f32_product = 0, bf16_product = 0;
};
[[nodiscard]] inline double peak_of(const Peaks& peaks, DType type) {
  return type == DType::bf16 ? peaks.bf16 : peaks.f32;
}

/// The one rule of what memory does not limit: operands of a warm call that fit into the private caches all together.
[[nodiscard]] bool is_cached(const Peaks& peaks, const Work& work, bool cold);
/// What is read is held to the rate of reading, as far as as much is written, too, to that of copying; so is what is only
/// written.
[[nodiscard]] double memory_seconds(const Peaks& peaks, const Work& work);
/// Seconds that an ideal kernel needs on this machine: products and memory at the same time.
[[nodiscard]] double ideal_seconds(const Peaks& peaks, DType type, const Work& work, bool cached);

}  // namespace parity::benches

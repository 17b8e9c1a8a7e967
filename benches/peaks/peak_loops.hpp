// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Loops that only multiply and add registers, read memory, or copy memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parity::benches {

struct PeakLoop {
  void (*run)(int64_t steps);
  double flops_per_step;
};

/// Returns the binary32 loop of the instruction level that the CPU kernels use.
[[nodiscard]] PeakLoop f32_peak_loop();
/// Returns the loop of BF16 products: the matrix unit's, else dot products, else the binary32 loop, by the level.
[[nodiscard]] PeakLoop bf16_peak_loop();
[[nodiscard]] int64_t sum_of(const std::byte* data, int64_t bytes);
/// Copies with memcpy, or with stores that do not fetch the overwritten lines. Memory and `bytes` are lines of 64.
void copy_plain(std::byte* to, const std::byte* from, int64_t bytes);
void copy_past_caches(std::byte* to, const std::byte* from, int64_t bytes);

}  // namespace parity::benches

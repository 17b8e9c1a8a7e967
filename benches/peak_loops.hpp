// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Loops that do nothing but multiply-adds of registers, read or copy.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parity::benches {

struct PeakLoop {
  void (*run)(int64_t steps);
  double flops_per_step;
};

/// Of the instruction level that the CPU kernels use.
[[nodiscard]] PeakLoop f32_peak_loop();
/// BF16 products of the matrix unit, else dot products, where the level has them; else the binary32 loop: bf16 is widened.
[[nodiscard]] PeakLoop bf16_peak_loop();
[[nodiscard]] int64_t sum_of(const std::byte* data, int64_t bytes);
/// memcpy; and stores that do not fetch the lines that they overwrite. `bytes` in lines of 64, aligned so.
void copy_plain(std::byte* to, const std::byte* from, int64_t bytes);
void copy_past_caches(std::byte* to, const std::byte* from, int64_t bytes);

}  // namespace parity::benches

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Times of this machine: medians of interleaved runs, and what it can do at most.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/dtype.hpp"

namespace parity::benches {

[[nodiscard]] double seconds_of(const std::function<void()>& body);

/// Something to time: once as it is, or with its operands out of the caches (`before` is not timed).
struct Timed {
  std::function<void()> body;
  std::function<void()> before{};
};
/// `rounds` samples of each, taken in turns there and back (A-B-B-A), so that what drifts meets all alike. Each sample is
/// the fastest of `best_of` runs: another program's work only ever adds.
[[nodiscard]] std::vector<std::vector<double>> interleaved(const std::vector<Timed>& all, int rounds, int best_of = 1);

/// What one run of this machine reached.
struct Peaks {
  double f32 = 0, bf16 = 0;  // FLOP/s: the best of the figures below
  double copy = 0;           // bytes read and written per second
  double read = 0;           // bytes read per second
  /// Multiply-adds and BF16 products of registers at the level in use; LibTorch's matrix product, which may have matrix
  /// units that the level has not (0 without LibTorch).
  double f32_loop = 0, bf16_loop = 0, f32_product = 0, bf16_product = 0;
};
[[nodiscard]] Peaks measure_peaks();
[[nodiscard]] inline double peak_of(const Peaks& peaks, DType type) {
  return type == DType::bf16 ? peaks.bf16 : peaks.f32;
}
/// Seconds that an ideal kernel needs on this machine.
[[nodiscard]] double ideal_seconds(const Peaks& peaks, DType type, double flops, double bytes);

}  // namespace parity::benches

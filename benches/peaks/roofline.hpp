// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The time of an ideal kernel: the work that no kernel avoids, at the peaks of this machine. Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/dtype.hpp"

namespace parity::benches {

/// The work of an ideal kernel: products and sums, and bytes that must be read or written at least once.
struct Work {
  double flops = 0, read = 0, written = 0;

  [[nodiscard]] double bytes() const { return read + written; }
};

/// The highest rates that one run measured on this machine.
struct Peaks {
  double f32 = 0, bf16 = 0;  // FLOP/s: the highest of the figures below
  double copy = 0;           // bytes read and written per second
  double read = 0;           // bytes read per second
  double cache = 0;          // bytes in the private caches of all threads
  /// FLOP/s of multiply-adds and of BF16 products in registers at the level in use, and of LibTorch's matrix product
  /// (0 without LibTorch), which may use matrix units that the level lacks.
  double f32_loop = 0, bf16_loop = 0, f32_product = 0, bf16_product = 0;
  /// Rates of `copy` and `read` for bytes that were flushed from every cache; 0 if the machine cannot flush.
  double cold_copy = 0, cold_read = 0;
};
[[nodiscard]] nlohmann::ordered_json json_of(const Peaks& peaks);
[[nodiscard]] inline double peak_of(const Peaks& peaks, DType type) {
  return type == DType::bf16 ? peaks.bf16 : peaks.f32;
}

/// Returns the figures with f32 and bf16 set to the highest of the measured rates.
[[nodiscard]] Peaks with_best(Peaks measured);
/// Returns the rate of the level's own loops, which is what its instructions allow.
[[nodiscard]] double loop_of(const Peaks& peaks, DType type);

/// Whether memory does not limit a call: it is warm and its operands fit into the private caches together.
[[nodiscard]] bool is_cached(const Peaks& peaks, const Work& work, bool cold);
/// Returns the seconds that memory needs. Bytes that are read and an equal number that is written count at the rate
/// of a copy, further reads at the rate of reading, further writes at that of a copy. Cold calls use the cold rates.
[[nodiscard]] double memory_seconds(const Peaks& peaks, const Work& work, bool cold);
/// Returns the seconds of an ideal kernel on this machine: products and memory work at the same time.
[[nodiscard]] double ideal_seconds(const Peaks& peaks, DType type, const Work& work, bool cold);

/// What limits an ideal kernel; `nothing` if the operands are cached and there are no products.
enum class Bound : uint8_t { nothing, products, memory };
[[nodiscard]] const char* to_string(Bound bound);

struct Share {
  Bound bound = Bound::nothing;
  double of_peak = 0;  // ideal seconds over measured seconds
  double of_loop = 0;  // rate of products over that of the level's own loop; 0 without products

  /// Whether the call was faster than the peak, which was then measured too low.
  [[nodiscard]] bool beyond() const { return of_peak > 1.0; }
  /// Returns "82% of memory", "23% of products (95% of the loop)" or "cached"; beyond the peak "104% ! of products".
  [[nodiscard]] std::string text() const;
  /// Returns the reason for the mark "!", or an empty string.
  [[nodiscard]] std::string note() const;
};
[[nodiscard]] Share share_of(const Peaks& peaks, DType type, const Work& work, bool cold, double seconds);

}  // namespace parity::benches

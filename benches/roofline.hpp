// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What an ideal kernel would take: the work that it cannot avoid, at the peaks of this machine. Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

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
  /// As copy and read, of bytes that were flushed out of every cache; 0 where no instruction does that.
  double cold_copy = 0, cold_read = 0;
};
[[nodiscard]] nlohmann::ordered_json json_of(const Peaks& peaks);
[[nodiscard]] inline double peak_of(const Peaks& peaks, DType type) {
  return type == DType::bf16 ? peaks.bf16 : peaks.f32;
}

/// With f32 and bf16 as the figures measured say.
[[nodiscard]] Peaks with_best(Peaks measured);
/// Of the level's own loops alone: what its instructions allow.
[[nodiscard]] double loop_of(const Peaks& peaks, DType type);

/// The one rule of what memory does not limit: operands of a warm call that fit into the private caches all together.
[[nodiscard]] bool is_cached(const Peaks& peaks, const Work& work, bool cold);
/// What is read is held to the rate of reading, as far as as much is written, too, to that of copying; so is what is only
/// written. Cold calls are held to cold rates: a shared cache of hundreds of MB answers whatever is walked again.
[[nodiscard]] double memory_seconds(const Peaks& peaks, const Work& work, bool cold);
/// Seconds that an ideal kernel needs on this machine: products and memory at the same time.
[[nodiscard]] double ideal_seconds(const Peaks& peaks, DType type, const Work& work, bool cold);

/// What limits an ideal kernel; nothing, where operands are cached and there are no products.
enum class Bound : uint8_t { nothing, products, memory };
[[nodiscard]] const char* to_string(Bound bound);

struct Share {
  Bound bound = Bound::nothing;
  double of_peak = 0;  // ideal over measured seconds
  double of_loop = 0;  // products against the level's own loop; 0 where there are none

  /// Faster than the peak: then that is none.
  [[nodiscard]] bool beyond() const { return of_peak > 1.0; }
  /// "82% of memory", "23% of products (95% of the loop)", "cached"; beyond the peak with a mark: "104% ! of products".
  [[nodiscard]] std::string text() const;
  /// Why the mark is there; empty without one.
  [[nodiscard]] std::string note() const;
};
[[nodiscard]] Share share_of(const Peaks& peaks, DType type, const Work& work, bool cold, double seconds);

}  // namespace parity::benches

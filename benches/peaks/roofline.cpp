// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/peaks/roofline.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace parity::benches {

double loop_of(const Peaks& peaks, DType type) {
  // BF16 numbers can be widened, so the rate of binary32 can always be reached.
  return type == DType::bf16 ? std::max(peaks.bf16_loop, peaks.f32_loop) : peaks.f32_loop;
}

Peaks with_best(Peaks measured) {
  measured.f32 = std::max(loop_of(measured, DType::f32), measured.f32_product);
  measured.bf16 = std::max(loop_of(measured, DType::bf16), measured.bf16_product);
  return measured;
}

bool is_cached(const Peaks& peaks, const Work& work, bool cold) { return !cold && work.bytes() <= peaks.cache; }

double memory_seconds(const Peaks& peaks, const Work& work, bool cold) {
  const double copy = cold && peaks.cold_copy > 0.0 ? peaks.cold_copy : peaks.copy;
  const double read = cold && peaks.cold_read > 0.0 ? peaks.cold_read : peaks.read;
  const double paired = std::min(work.read, work.written);
  return (paired + work.written) / copy + (work.read - paired) / read;
}

double ideal_seconds(const Peaks& peaks, DType type, const Work& work, bool cold) {
  const double memory = is_cached(peaks, work, cold) ? 0.0 : memory_seconds(peaks, work, cold);
  return std::max(work.flops / peak_of(peaks, type), memory);
}

const char* to_string(Bound bound) {
  switch (bound) {
    case Bound::nothing:
      return "nothing";
    case Bound::products:
      return "products";
    case Bound::memory:
      return "memory";
  }
  return "";
}

Share share_of(const Peaks& peaks, DType type, const Work& work, bool cold, double seconds) {
  const double products = work.flops / peak_of(peaks, type), ideal = ideal_seconds(peaks, type, work, cold);
  Share share;
  if (ideal > 0.0) share.bound = ideal > products ? Bound::memory : Bound::products;
  share.of_peak = ideal / seconds;
  share.of_loop = work.flops / seconds / loop_of(peaks, type);
  return share;
}

std::string Share::text() const {
  if (bound == Bound::nothing) return "cached";
  const std::string loop = bound == Bound::products ? fmt::format(" ({:.0f}% of the loop)", 100.0 * of_loop) : "";
  return fmt::format("{:.0f}%{} of {}{}", 100.0 * of_peak, beyond() ? " !" : "", to_string(bound), loop);
}

std::string Share::note() const {
  if (!beyond()) return {};
  if (bound == Bound::memory)
    return "faster than this run's memory probes: warm operands came from nearer caches than the probes' 128 MiB, or "
           "other programs slowed the probes; memory is not the limit";
  return "faster than this run's loops and LibTorch's product: other programs slowed them, or they do not reach the "
         "peak; read the share as relative to the fastest";
}

}  // namespace parity::benches

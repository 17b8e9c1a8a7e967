// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/roofline.hpp"

#include <algorithm>

namespace parity::benches {

bool is_cached(const Peaks& peaks, const Work& work, bool cold) { return !cold && work.bytes() <= peaks.cache; }

double memory_seconds(const Peaks& peaks, const Work& work) {
  const double paired = std::min(work.read, work.written);
  return (paired + work.written) / peaks.copy + (work.read - paired) / peaks.read;
}

double ideal_seconds(const Peaks& peaks, DType type, const Work& work, bool cached) {
  return std::max(work.flops / peak_of(peaks, type), cached ? 0.0 : memory_seconds(peaks, work));
}

}  // namespace parity::benches

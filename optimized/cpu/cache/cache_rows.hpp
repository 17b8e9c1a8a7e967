// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Copies the slots of a cache into the buffer of a longer cache.
#pragma once

#include <cstring>

#include "core/error.hpp"
#include "core/tensor.hpp"
#include "optimized/cpu/parallel.hpp"

namespace parity::cpu {

/// Copies the slots of `part` to the slots of `result` from `first` on; both are (B, G, slots, D).
template <class T>
void copy_slots(const Span<T, 4>& part, const Span<T, 4>& result, int64_t first) {
  constexpr int64_t kGrain = int64_t{1} << 15;  // elements
  const int64_t width = part.extent[3], slots = part.extent[2];
  PARITY_CHECK(width <= 1 || (part.stride[3] == 1 && result.stride[3] == 1), internal,
               "cache_append needs rows with contiguous channels");
  if (part.extent[0] * part.extent[1] * slots * width == 0) return;
  const int64_t grain = std::max<int64_t>(kGrain / width, 1), pieces = (slots + grain - 1) / grain;
  in_pieces(part.extent[0] * part.extent[1] * pieces, 1, [&](int64_t piece, int64_t) {
    const int64_t b = piece / pieces / part.extent[1], g = piece / pieces % part.extent[1];
    const int64_t from = piece % pieces * grain, count = std::min(grain, slots - from);
    const T* source = &part(b, g, from, 0);
    T* target = &result(b, g, first + from, 0);
    if (part.stride[2] == width && result.stride[2] == width) {
      std::memcpy(target, source, static_cast<size_t>(count * width) * sizeof(T));
      return;
    }
    for (int64_t k = 0; k < count; ++k)
      std::memcpy(target + k * result.stride[2], source + k * part.stride[2], static_cast<size_t>(width) * sizeof(T));
  });
}

}  // namespace parity::cpu

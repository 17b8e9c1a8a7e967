// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The vectors of one level: as many floats as a register holds. Only the files beside this one include it; a * b + c is
// contracted to a fused multiply-add.
#pragma once

#include <cstdint>
#include <cstring>

#include <immintrin.h>

#include "core/dtype.hpp"

namespace parity::cpu::PARITY_LEVEL {

#ifdef PARITY_LEVEL_avx2
inline constexpr int kLanes = 8;
#else
inline constexpr int kLanes = 16;
#endif

using Floats = float __attribute__((vector_size(4 * kLanes)));
using Words = uint32_t __attribute__((vector_size(4 * kLanes)));
using Halves = uint16_t __attribute__((vector_size(2 * kLanes)));

[[gnu::always_inline]] inline Floats all(float x) { return Floats{} + x; }

[[gnu::always_inline]] inline Floats load(const float* x) {
  Floats v;
  std::memcpy(&v, x, sizeof v);
  return v;
}
[[gnu::always_inline]] inline Floats load(const BFloat16* x) {
  Halves h;
  std::memcpy(&h, x, sizeof h);
  const Words wide = __builtin_convertvector(h, Words) << 16U;
  Floats v;
  std::memcpy(&v, &wide, sizeof v);
  return v;
}

[[gnu::always_inline]] inline void store(float* x, Floats v) { std::memcpy(x, &v, sizeof v); }
/// Nearest, ties to even; NaN stays NaN.
[[gnu::always_inline]] inline void store(BFloat16* x, Floats v) {
  Words bits;
  std::memcpy(&bits, &v, sizeof v);
  const Words nearest = (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
  const Words quiet = (bits >> 16U) | 0x40U;
  const Halves h = __builtin_convertvector(v == v ? nearest : quiet, Halves);
  std::memcpy(x, &h, sizeof h);
}

/// The first `count` < kLanes elements, zeros behind them.
template <class T>
[[gnu::always_inline]] inline Floats load_some(const T* x, int64_t count) {
  T padded[kLanes] = {};
  std::memcpy(padded, x, static_cast<size_t>(count) * sizeof(T));
  return load(padded);
}
template <class T>
[[gnu::always_inline]] inline void store_some(T* x, Floats v, int64_t count) {
  T padded[kLanes];
  store(padded, v);
  std::memcpy(x, padded, static_cast<size_t>(count) * sizeof(T));
}

/// The lanes' sum, by halves: the same at every level for sums kept in 16 lanes.
[[gnu::always_inline]] inline float sum(Floats v) {
  float lanes[kLanes];
  store(lanes, v);
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}

}  // namespace parity::cpu::PARITY_LEVEL

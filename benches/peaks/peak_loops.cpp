// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Portable peak loops; the loops of x86-64 are in peak_loops_x86.cpp.
#include "benches/peaks/peak_loops.hpp"

#include <cstring>

namespace parity::benches {

void copy_plain(std::byte* to, const std::byte* from, int64_t bytes) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
}

#if !defined(__x86_64__)

namespace {

/// Adds products to independent sums: enough of them to fill vectors and hide latency in the code that compilers make.
void multiply_add(int64_t steps) {
  constexpr int kLanes = 64;
  float sums[kLanes];
  for (float& sum : sums) sum = 1.0F;
  float a = 1.0000001F, b = 1e-9F;
  asm volatile("" : "+m"(a), "+m"(b));
  for (int64_t i = 0; i < steps; ++i) {
    for (float& sum : sums) sum = __builtin_fmaf(sum, a, b);
  }
  asm volatile("" : : "m"(sums));
}

}  // namespace

PeakLoop f32_peak_loop() { return {&multiply_add, 2.0 * 64}; }
PeakLoop bf16_peak_loop() { return f32_peak_loop(); }

int64_t sum_of(const std::byte* data, int64_t bytes) {
  int64_t total = 0;
  for (int64_t at = 0; at + 8 <= bytes; at += 8) {
    int64_t word = 0;
    std::memcpy(&word, data + at, sizeof word);
    total += word;
  }
  return total;
}

void copy_past_caches(std::byte* to, const std::byte* from, int64_t bytes) { copy_plain(to, from, bytes); }

#endif

}  // namespace parity::benches

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/peaks/peak_loops.hpp"

#if defined(__x86_64__)

#include <cstring>

#include <immintrin.h>

#include "optimized/cpu/level.hpp"
#include "optimized/cpu/tile_shapes.hpp"

namespace parity::benches {
namespace {

constexpr int kChains = 12;  // independent sums, enough to hide the latency of two units; each keeps a register

/// Makes the compiler treat the register as used, so that the loop is neither dropped nor reordered.
template <class Register>
[[gnu::always_inline]] inline void keep(Register& x) {
  asm volatile("" : "+v"(x));
}

[[gnu::target("avx2,fma")]] void f32_avx2(int64_t steps) {
  __m256 chains[kChains];
  for (__m256& x : chains) x = _mm256_set1_ps(1.0F);
  __m256 a = _mm256_set1_ps(1.0000001F), b = _mm256_set1_ps(1e-9F);
  keep(a);
  keep(b);
  for (int64_t i = 0; i < steps; ++i) {
#pragma GCC unroll 12
    for (__m256& x : chains) x = _mm256_fmadd_ps(x, a, b);
  }
  for (__m256& x : chains) keep(x);
}

[[gnu::target("avx512f")]] void f32_avx512(int64_t steps) {
  __m512 chains[kChains];
  for (__m512& x : chains) x = _mm512_set1_ps(1.0F);
  __m512 a = _mm512_set1_ps(1.0000001F), b = _mm512_set1_ps(1e-9F);
  keep(a);
  keep(b);
  for (int64_t i = 0; i < steps; ++i) {
#pragma GCC unroll 12
    for (__m512& x : chains) x = _mm512_fmadd_ps(x, a, b);
  }
  for (__m512& x : chains) keep(x);
}

[[gnu::target("avx512f,avx512bw,avx512vl,avx512bf16")]] void bf16_dot(int64_t steps) {
  __m512 chains[kChains];
  for (__m512& x : chains) x = _mm512_set1_ps(1.0F);
  __m512i ones = _mm512_set1_epi16(0x3F80);
  keep(ones);
  __m512bh a;
  std::memcpy(&a, &ones, sizeof a);
  for (int64_t i = 0; i < steps; ++i) {
#pragma GCC unroll 12
    for (__m512& x : chains) x = _mm512_dpbf16_ps(x, a, a);
  }
  for (__m512& x : chains) keep(x);
}

constexpr int kTileProducts = 4;

/// Multiplies tiles into four independent sums, which hide the latency.
[[gnu::target("amx-tile,amx-bf16")]] void bf16_tiles(int64_t steps) {
  _tile_loadconfig(&cpu::kTileShapes);
  for (int64_t i = 0; i < steps; ++i) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
}

}  // namespace

PeakLoop f32_peak_loop() {
  if (cpu::level() == cpu::Level::avx2) return {&f32_avx2, 2.0 * 8 * kChains};
  return {&f32_avx512, 2.0 * 16 * kChains};
}

PeakLoop bf16_peak_loop() {
  if (cpu::level() == cpu::Level::amx_bf16) return {&bf16_tiles, 2.0 * 16 * 16 * 32 * kTileProducts};
  if (cpu::level() != cpu::Level::avx512_bf16) return f32_peak_loop();
  return {&bf16_dot, 4.0 * 16 * kChains};
}

[[gnu::target("avx2")]] int64_t sum_of(const std::byte* data, int64_t bytes) {
  __m256i total[4] = {};
  for (int64_t at = 0; at + 128 <= bytes; at += 128) {
    for (int c = 0; c < 4; ++c)
      total[c] = _mm256_add_epi64(total[c], _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + at + 32 * c)));
  }
  const __m256i all = _mm256_add_epi64(_mm256_add_epi64(total[0], total[1]), _mm256_add_epi64(total[2], total[3]));
  int64_t lanes[4];
  std::memcpy(lanes, &all, sizeof lanes);
  return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

[[gnu::target("avx2")]] void copy_past_caches(std::byte* to, const std::byte* from, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += 32) {
    const __m256i piece = _mm256_load_si256(reinterpret_cast<const __m256i*>(from + at));
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + at), piece);
  }
  _mm_sfence();
}

}  // namespace parity::benches

#endif

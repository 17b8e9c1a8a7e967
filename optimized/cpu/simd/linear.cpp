// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Linear layers: products of a tile, turned so that a token's channels lie side by side again.
#include "optimized/cpu/simd/products.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

template <class T>
void pack_tokens(const PackTokens<T>& a) {
  pack(a.rows, a.count, a.width, a.first / kChannels<T>, (a.last + kChannels<T> - 1) / kChannels<T>,
       reinterpret_cast<Packed<T>*>(a.packed));
}

/// kLanes sums that lie `kTokens` apart.
[[gnu::always_inline]] inline Floats column(const float* sums) {
#ifdef PARITY_LEVEL_avx2
  const __m256i at = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(kTokens));
  return __builtin_bit_cast(Floats, _mm256_i32gather_ps(sums, at, 4));
#else
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i at = _mm512_mullo_epi32(lanes, _mm512_set1_epi32(kTokens));
  return __builtin_bit_cast(Floats, _mm512_i32gather_ps(at, sums, 4));
#endif
}

/// Rows beside the last one have products too: their lanes are computed and not kept.
template <class T>
void linear_tile(const LinearTile<T>& a) {
  products<T>(a, a.first, a.last, a.scratch);
  const int64_t rows = a.last - a.first;
  for (int64_t t = 0; t < a.count; ++t) {
    T* out = a.out[t] + a.column;
    for (int64_t f = 0; f < rows; f += kLanes) {
      const int64_t some = rows - f < kLanes ? rows - f : kLanes;
      Floats v = column(a.scratch + f * kTokens + t);
      if (some == kLanes) {
        store(out + f, a.bias == nullptr ? v : v + load(a.bias + f));
      } else {
        store_some(out + f, a.bias == nullptr ? v : v + load_some(a.bias + f, some), some);
      }
    }
  }
}

}  // namespace

void pack_tokens_f32(const PackSingle& args) { pack_tokens(args); }
void pack_tokens_bf16(const PackHalf& args) { pack_tokens(args); }
void linear_tile_f32(const LinearSingle& args) { linear_tile(args); }
void linear_tile_bf16(const LinearHalf& args) { linear_tile(args); }

}  // namespace parity::cpu::PARITY_LEVEL

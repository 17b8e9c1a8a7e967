// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Matrices of 8-bit codes: decodes rows, and multiplies them by a few tokens with decoding in registers.
#include "optimized/cpu/simd/codes.hpp"

#include "optimized/cpu/linear/product_tile.hpp"
#include "optimized/cpu/simd/dots.hpp"
#include "optimized/cpu/simd/tiles.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

template <class T>
[[gnu::always_inline]] inline Two scaled(Words pairs, float scale) {
  const Two v = std::is_same_v<T, float> ? in_order(pairs) : by_halves(pairs);
  return {v.first * scale, v.second * scale};
}

/// Stores past the caches in parts of 16 bytes, to which addresses are aligned; the processor combines whole lines.
template <bool streams, class T>
[[gnu::always_inline]] inline void store_two_of(T* out, const Two& v) {
  if constexpr (!streams) return store_two(out, v);
  alignas(64) T numbers[kTwo];
  store_two(numbers, v);
  constexpr int64_t kPart = sizeof(__m128i) / sizeof(T);
#pragma GCC unroll 8
  for (int64_t i = 0; i < kTwo; i += kPart)
    _mm_stream_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm_load_si128(reinterpret_cast<const __m128i*>(numbers + i)));
}

template <bool streams, class T>
void decode_rows(const CodedRows<T>& a) {
  const int64_t blocks = a.width / a.block;
  for (int64_t n = a.first; n < a.last; ++n) {
    const uint8_t* codes = a.codes + n * a.width;
    T* out = a.out + (n - a.first) * a.width;
    for (int64_t q = 0; q < blocks; ++q) {
      const int64_t at = n / a.rows * blocks + q, end = (q + 1) * a.block;
      const float scale = a.exponents != nullptr ? power_of(a.exponents[at]) : a.factors[at];
      int64_t k = q * a.block;
      for (; k + kTwo <= end; k += kTwo) store_two_of<streams>(out + k, scaled<T>(decoded(codes + k), scale));
      if (k == end) continue;
      uint8_t rest[kTwo] = {};
      T numbers[kTwo];
      std::memcpy(rest, codes + k, static_cast<size_t>(end - k));
      store_two(numbers, scaled<T>(decoded(rest), scale));
      std::memcpy(out + k, numbers, static_cast<size_t>(end - k) * sizeof(T));
    }
  }
  if constexpr (streams) _mm_sfence();
}

template <class T>
void decode_rows(const CodedRows<T>& a) {
  const bool aligned = reinterpret_cast<uintptr_t>(a.out) % sizeof(__m128i) == 0 && a.block % kTwo == 0;
  a.streams&& aligned ? decode_rows<true>(a) : decode_rows<false>(a);
}

/// Adds the products of 32 channels to each sum. A scale is a power of two and changes no bit of a product, so it is
/// applied once per block, not once per weight.
template <class T, int R, int M>
[[gnu::always_inline]] inline void add_block(const T* const (&tokens)[R], const uint8_t* const (&codes)[M],
                                             const float (&scales)[M][kLanes], int64_t q, int64_t at,
                                             Floats (&sum)[kLanes]) {
#pragma GCC unroll 16
  for (int m = 0; m < M; ++m) {
    Floats block[R] = {};
#pragma GCC unroll 2
    for (int64_t k = 0; k < kCodedBlock; k += kTwo) {
      const Words weight = decoded(codes[m] + at + k);
      if constexpr (kPairs<T>) {
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) block[r] = multiply_add(channels(tokens[r] + at + k), weight, block[r]);
      } else {
        const Two w = std::is_same_v<T, float> ? in_order(weight) : by_halves(weight);
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) {
          const Two x = load_two(tokens[r] + at + k);
          block[r] = x.second * w.second + (x.first * w.first + block[r]);
        }
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) sum[R * m + r] = block[r] * scales[m][q] + sum[R * m + r];
  }
}

/// Stores x to one element; a store of whole lanes would overwrite other outputs.
template <class T>
[[gnu::always_inline]] inline void store_one(T* to, float x) {
  T lanes[kLanes];
  store(lanes, all(x));
  *to = lanes[0];
}

/// Multiplies R tokens by kLanes / R rows at a time; missing tokens repeat the last one.
template <class T, int R>
void few(const CodedFew<T>& a, int64_t token) {
  constexpr int kRows = kLanes / R;
  constexpr int64_t kAhead = 1024;  // bytes of a row of codes
  const CodedRows<T>& w = a.weight;
  const int64_t blocks = w.width / kCodedBlock;
  const T* tokens[R];
  for (int64_t r = 0; r < R; ++r) tokens[r] = a.tokens[token + r < a.count ? token + r : a.count - 1];
  for (int64_t f = w.first; f < w.last; f += kRows) {
    const uint8_t* codes[kRows];
    const uint8_t* exponents[kRows];
    for (int64_t m = 0; m < kRows; ++m) {
      const int64_t row = f + m < w.last ? f + m : w.last - 1;
      codes[m] = w.codes + row * w.width;
      exponents[m] = w.exponents + row * blocks;
    }
    Floats sum[kLanes] = {};
    for (int64_t first = 0; first < blocks; first += kLanes) {
      const int64_t count = blocks - first < kLanes ? blocks - first : kLanes;
      float scales[kRows][kLanes];
#pragma GCC unroll 16
      for (int m = 0; m < kRows; ++m) {
        uint8_t some[kLanes] = {};
        std::memcpy(some, exponents[m] + first, static_cast<size_t>(count));
        store(scales[m], powers(count == kLanes ? exponents[m] + first : some));
      }
      for (int64_t q = 0; q < count; ++q) {
        const int64_t at = (first + q) * kCodedBlock;
        // After the end of a row the next group of rows follows, not the neighbouring row.
        const int64_t ahead = at + kAhead < w.width ? at + kAhead : at + kAhead + (kRows - 1) * w.width;
#pragma GCC unroll 16
        for (int m = 0; m < kRows; ++m) __builtin_prefetch(codes[m] + ahead);
        add_block<T>(tokens, codes, scales, q, at, sum);
      }
    }
    float lanes[kLanes];
    store(lanes, sums(sum));
    for (int64_t m = 0; m < kRows && f + m < w.last; ++m) {
      for (int64_t r = 0; r < R && token + r < a.count; ++r) store_one(a.out[token + r] + f + m, lanes[R * m + r]);
    }
  }
}

#ifdef PARITY_LEVEL_amx_bf16
/// Adds `some` blocks from `block` on to the sums of sixteen rows, with tokens in lanes and codes as left operands. A
/// block is as long as a tile, so that its scale is applied once per sum.
template <int some>
[[gnu::always_inline]] inline void add_tiles(const uint8_t* const (&codes)[kTile], const float* scales,
                                             const float* packed, int64_t block, Floats (&sum)[kTile]) {
  static_assert(kCodedBlock == 2 * kTile && kTile == kLanes && kCodedLine == kTile);
  constexpr int64_t kAhead = 512;  // bytes of a row of codes
  alignas(64) BFloat16 left[some][kTile * kCodedBlock];
  alignas(64) float products[some][kTileWords];
  for (int64_t r = 0; r < kTile; ++r) {
    const uint8_t* at = codes[r] + block * kCodedBlock;
#pragma GCC unroll 4
    for (int64_t j = 0; j < some; ++j) {
      if (j % 2 == 0) __builtin_prefetch(at + kAhead + j * kCodedBlock, 0, 2);
      const Words weight = decoded(at + j * kCodedBlock);
      std::memcpy(left[j] + r * kCodedBlock, &weight, sizeof weight);
    }
  }
#pragma GCC unroll 4
  for (int64_t j = 0; j < some; ++j) {
    const float* column = packed + (block + j) * kTileWords;
    float* to = products[j];
    multiply_tiles<1, 1, false>({left[j], kTileRow, 0, 0}, 0, packed_columns(&column, &to), 0, 1);
  }
  for (int64_t j = 0; j < some; ++j) {
#pragma GCC unroll 16
    for (int64_t r = 0; r < kTile; ++r) sum[r] = load(products[j] + r * kTile) * scales[r * kLanes + j] + sum[r];
  }
}

/// Multiplies all tokens, by sixteen rows and a few blocks at a time, so that tokens stay in the first-level cache.
void few_by_tiles(const CodedFew<BFloat16>& a) {
  constexpr int kSome = 4;  // blocks, two lines of a row's codes
  const Tiles tiles;
  const CodedRows<BFloat16>& w = a.weight;
  const int64_t blocks = w.width / kCodedBlock;
  Floats sums[kPieceRows / kTile][kTile] = {};
  for (int64_t first = 0; first < blocks; first += kLanes) {
    const int64_t count = blocks - first < kLanes ? blocks - first : kLanes;
    for (int64_t f = w.first; f < w.last; f += kTile) {
      const uint8_t* codes[kTile];
      float scales[kTile][kLanes];
      for (int64_t r = 0; r < kTile; ++r) {
        const int64_t row = f + r < w.last ? f + r : w.last - 1;
        uint8_t some[kLanes] = {};
        std::memcpy(some, w.exponents + row * blocks + first, static_cast<size_t>(count));
        store(scales[r], powers(some));
        codes[r] = w.codes + row * w.width;
      }
      Floats sum[kTile];
      std::memcpy(sum, sums[(f - w.first) / kTile], sizeof sum);
      int64_t q = 0;
      for (; q + kSome <= count; q += kSome) add_tiles<kSome>(codes, scales[0] + q, a.packed, first + q, sum);
      for (; q < count; ++q) add_tiles<1>(codes, scales[0] + q, a.packed, first + q, sum);
      std::memcpy(sums[(f - w.first) / kTile], sum, sizeof sum);
    }
  }
  for (int64_t f = w.first; f < w.last; f += kTile) {
    Floats(&sum)[kTile] = sums[(f - w.first) / kTile];
    transpose(sum);
    const int64_t rows = w.last - f < kTile ? w.last - f : kTile;
    for (int64_t t = 0; t < a.count; ++t)
      rows == kTile ? store(a.out[t] + f, sum[t]) : store_some(a.out[t] + f, sum[t], rows);
  }
}
#endif

template <class T>
void coded_few(const CodedFew<T>& a) {
#ifdef PARITY_LEVEL_amx_bf16
  if constexpr (kPairs<T>) {
    if (a.packed != nullptr) return few_by_tiles(a);
  }
#endif
  if (a.count == 1) return few<T, 1>(a, 0);
  if (a.count == 2) return few<T, 2>(a, 0);
  if (a.count <= 4) return few<T, 4>(a, 0);
  few<T, 8>(a, 0);
}

}  // namespace

void decode_rows_f32(const CodedSingle& args) { decode_rows(args); }
void decode_rows_bf16(const CodedHalf& args) { decode_rows(args); }
void coded_few_f32(const CodedFewSingle& args) { coded_few(args); }
void coded_few_bf16(const CodedFewHalf& args) { coded_few(args); }

}  // namespace parity::cpu::PARITY_LEVEL

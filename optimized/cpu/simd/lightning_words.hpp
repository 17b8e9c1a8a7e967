// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Loads and stores the operands of lightning attention as 32-bit words, and rounds them.
#pragma once

#include "optimized/cpu/lightning/lightning_head.hpp"
#include "optimized/cpu/simd/attention_words.hpp"
#include "optimized/cpu/simd/tiles.hpp"
#include "optimized/cpu/simd/transpose.hpp"

namespace parity::cpu::PARITY_LEVEL {

/// Returns the number of vectors that hold `columns` columns.
[[gnu::always_inline]] inline int64_t panels_of(int64_t columns) { return (columns + kLanes - 1) / kLanes; }

/// Rounds to BF16, ties to even. NaN stays NaN if its low half is zero, as that of a 16-bit NaN is.
[[gnu::always_inline]] inline Floats rounded(Floats v) {
#ifdef PARITY_LEVEL_avx2
  const Words bits = __builtin_bit_cast(Words, v);
  return __builtin_bit_cast(Floats, (bits + 0x7fffU + ((bits >> 16U) & 1U)) & 0xffff0000U);
#else
  const __m512i bits = __builtin_bit_cast(__m512i, v), near = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff));
  const __mmask16 odd = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x10000));
  const __m512i even = _mm512_mask_add_epi32(near, odd, near, _mm512_set1_epi32(1));
  return __builtin_bit_cast(Floats, _mm512_and_si512(even, _mm512_set1_epi32(static_cast<int>(0xffff0000U))));
#endif
}

/// Rounds to BF16 if T is BF16 and `rounds` is set; NaN stays NaN.
template <class T>
[[gnu::always_inline]] inline Floats rounded_if(bool rounds, Floats v) {
  if (sizeof(T) == sizeof(float) || !rounds) return v;
  return v == v ? rounded(v) : v;
}

/// Rounds as rounded_if() does, for words of Kind. Operands of pairs are plain, so none is NaN.
template <class Kind, class T>
[[gnu::always_inline]] inline Floats rounded_at(bool rounds, Floats v) {
  if constexpr (Kind::kPerWord == 1) return rounded_if<T>(rounds, v);
  return rounds ? rounded(v) : v;
}

/// Returns the BF16 of two vectors, which must be exact, with the first in the low halves.
[[gnu::always_inline]] inline Floats upper_halves(Floats low, Floats high) {
  return __builtin_bit_cast(Floats,
                            (__builtin_bit_cast(Words, low) >> 16U) | (__builtin_bit_cast(Words, high) & 0xffff0000U));
}

/// Returns the BF16 pairs of a state, multiplied by kLightningStateGrowth.
[[gnu::always_inline]] inline Floats grown_pair(Floats low, Floats high) {
  return upper_halves(low * kLightningStateGrowth, high * kLightningStateGrowth);
}

/// Stores `some` channels of a row of a state that is kept.
[[gnu::always_inline]] inline void keep(const KeptRows& rows, int64_t row, int64_t channel, Floats v, int64_t some) {
  const int64_t at = row * rows.stride + channel;
  if (rows.single != nullptr) some == kLanes ? store(rows.single + at, v) : store_some(rows.single + at, v, some);
  if (rows.half != nullptr) some == kLanes ? store(rows.half + at, v) : store_some(rows.half + at, v, some);
}

/// Makes a vector of words from the vectors of its elements.
template <class Kind>
struct WordsHeld;

template <>
struct WordsHeld<Singles> {
  template <class At>
  [[gnu::always_inline]] static Floats of(const At& at) {
    return at(0);
  }
};

#ifdef PARITY_LEVEL_avx512_bf16
template <>
struct WordsHeld<Pairs> {
  template <class At>
  [[gnu::always_inline]] static Floats of(const At& at) {
    return upper_halves(at(0), at(1));
  }
};
#endif

/// Stores columns of a row of words for a product along the row.
template <class Kind, class T>
[[gnu::always_inline]] inline void store_words(float* row, int64_t column, Floats v, bool rounds) {
  if constexpr (Kind::kPerWord == 1) {
    store(row + column, rounded_if<T>(rounds, v));
  }
#ifdef PARITY_LEVEL_avx512_bf16
  if constexpr (Kind::kPerWord == 2) {  // grown, so not subnormal, which the instruction takes for zero
    const __m256bh halves = _mm512_cvtneps_pbh(v);
    std::memcpy(reinterpret_cast<BFloat16*>(row) + column, &halves, sizeof halves);
  }
#endif
}

#ifdef PARITY_LEVEL_avx512_bf16
/// Stores two vectors of words as BF16, one cache line.
[[gnu::always_inline]] inline void store_both(float* row, Floats first, Floats second) {
  const __m512bh halves = _mm512_cvtne2ps_pbh(second, first);
  std::memcpy(row, &halves, sizeof halves);
}
/// Stores the upper halves of two vectors of rounded values.
[[gnu::always_inline]] inline void store_upper(BFloat16* x, Floats first, Floats second) {
  const __m512i odd = _mm512_set_epi16(63, 61, 59, 57, 55, 53, 51, 49, 47, 45, 43, 41, 39, 37, 35, 33, 31, 29, 27, 25,
                                       23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
  const __m512i halves =
      _mm512_permutex2var_epi16(__builtin_bit_cast(__m512i, first), odd, __builtin_bit_cast(__m512i, second));
  std::memcpy(x, &halves, sizeof halves);
}
#endif

/// Returns words [first, first + kLanes) of a row, zero after its end.
template <class Kind, class T>
[[gnu::always_inline]] inline Floats words_at(const T* row, int64_t first, int64_t width) {
  if constexpr (Kind::kPerWord == 1) {
    const int64_t some = width - first;
    return some >= kLanes ? load(row + first) : load_some(row + first, some);
  } else {
    T pairs[2 * kLanes] = {};
    const int64_t some = width - 2 * first;
    if (some <= 0) return Floats{};
    if (some >= 2 * kLanes) {
      std::memcpy(pairs, row + 2 * first, sizeof pairs);
    } else {
      std::memcpy(pairs, row + 2 * first, static_cast<size_t>(some) * sizeof(T));
    }
    Floats words;
    std::memcpy(&words, pairs, sizeof words);
    return words;
  }
}

/// Copies a row as words, zero after its end.
template <class Kind, class T>
[[gnu::always_inline]] inline void copy_words(const T* row, int64_t width, float* words) {
  constexpr int64_t kWords = kLanes * Kind::kPerWord;
  for (int64_t d = 0; d < steps_of<Kind>(width) * Kind::kPerWord; d += kWords)
    store(words + d / Kind::kPerWord, words_at<Kind>(row, d / Kind::kPerWord, width));
}

/// Copies a row as words times `factor`, zero after its end even if the factor is infinite.
template <class Kind, class T>
[[gnu::always_inline]] inline void decay_words(const T* row, int64_t width, float factor, bool rounds, float* words) {
  for (int64_t d = 0; d < steps_of<Kind>(width) * Kind::kPerWord; d += kLanes) {
    const int64_t some = width - d;
    Floats decayed{};
    if (some >= kLanes) {
      decayed = load(row + d) * factor;
    } else if (some > 0) {
      decayed = chosen(static_cast<uint16_t>((1U << some) - 1U), load_some(row + d, some) * factor, decayed);
    }
    store_words<Kind, T>(words, d, decayed, rounds);
  }
}

/// Calls run.template operator()<Kind>() with the kind of words that the block's products use.
#ifdef PARITY_LEVEL_avx512_bf16
template <class T, class Run>
[[gnu::always_inline]] inline void by_kind(const LightningBlock<T>& b, const Run& run) {
  if constexpr (sizeof(T) == 2) {
    if (b.pairs) {
#ifdef PARITY_LEVEL_amx_bf16
      const Tiles tiles;
#endif
      return run.template operator()<Pairs>();
    }
  }
  run.template operator()<Singles>();
}
#else
template <class T, class Run>
[[gnu::always_inline]] inline void by_kind(const LightningBlock<T>&, const Run& run) {
  run.template operator()<Singles>();
}
#endif

}  // namespace parity::cpu::PARITY_LEVEL

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Packs the keys and values of a chunk for the inner loops of attention.
#pragma once

#include "optimized/cpu/attention/attention_window.hpp"
#include "optimized/cpu/simd/attention_words.hpp"
#include "optimized/cpu/simd/tiles.hpp"
#include "optimized/cpu/simd/transpose.hpp"

namespace parity::cpu::PARITY_LEVEL {

/// Whether keys are read in place: floats, and pairs of BF16 that need no padding.
template <class T>
[[gnu::always_inline]] inline bool keys_in_place(const PackedChunk<T>& c) {
  using Kind = typename WordsOf<T>::Kind;
  return sizeof(T) * Kind::kPerWord == sizeof(float) && c.width == steps_of<Kind>(c.width) * Kind::kPerWord &&
         c.k.stride % Kind::kPerWord == 0;
}

/// Whether values are read in place: whole panels of floats that are read only once.
template <class T>
[[gnu::always_inline]] inline bool values_in_place(const PackedChunk<T>& c) {
  return sizeof(T) == sizeof(float) && !c.ahead && c.width % kPanel == 0;
}

/// Copies `count` elements into words and fills the last word with zero.
template <class T>
inline void into_words(const T* x, int64_t count, float* words) {
  if constexpr (WordsOf<T>::Kind::kPerWord == 2) {
    const BFloat16 zeros[2] = {};
    if (count % 2 != 0) std::memcpy(words + count / 2, zeros, sizeof zeros);
    std::memcpy(words, x, static_cast<size_t>(count) * sizeof(T));
  } else {
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) store(words + i, load(x + i));
    for (; i < count; ++i) words[i] = float_of(x[i]);
  }
}

template <class T>
inline void pack_keys(const PackedChunk<T>& c) {
  const int64_t steps = steps_of<typename WordsOf<T>::Kind>(c.width);
  for (int64_t j = 0; j < c.count; ++j) {
    for (int64_t step = c.width / WordsOf<T>::Kind::kPerWord; step < steps; ++step) c.keys[j * steps + step] = 0.0F;
    into_words(c.k.row(j), c.width, c.keys + j * steps);
  }
}

/// Packs sixteen channels of one word of slots, with zeros for channels and slots that do not exist.
template <class T>
inline void pack_panel_end(const PackedChunk<T>& c, int64_t slot, int64_t channel, float* words) {
  for (int64_t i = 0; i < kPanel; ++i) {
    const bool inside = slot < c.count && channel + i < c.width;
    if constexpr (WordsOf<T>::Kind::kPerWord == 2) {
      BFloat16 pair[2] = {};
      if (inside) pair[0] = c.v.row(slot)[channel + i];
      if (inside && slot + 1 < c.count) pair[1] = c.v.row(slot + 1)[channel + i];
      std::memcpy(words + i, pair, sizeof pair);
    } else {
      words[i] = inside ? float_of(c.v.row(slot)[channel + i]) : 0.0F;
    }
  }
}

#ifdef PARITY_LEVEL_avx512_bf16
/// Returns 16 channels of two slots as pairs.
[[gnu::always_inline]] inline __m512i interleaved(const BFloat16* first, const BFloat16* second) {
  __m256i low, high;
  std::memcpy(&low, first, sizeof low);
  std::memcpy(&high, second, sizeof high);
  return _mm512_or_si512(_mm512_cvtepu16_epi32(low), _mm512_slli_epi32(_mm512_cvtepu16_epi32(high), 16));
}
#endif

/// Whether keys are packed as tiles of sixteen slots, each contiguous. It pays if all rows read all chunks; if each row
/// reads few blocks, keys are read in place.
template <class T>
[[gnu::always_inline]] inline bool keys_in_tiles(const PackedChunk<T>& c) {
  return WordsOf<T>::Kind::kStepsTogether > 1 && c.ahead && c.count == kMostChunkKeys;
}

#ifdef PARITY_LEVEL_amx_bf16
/// Packs tiles of sixteen slots and 32 channels: all channels of sixteen slots, then the next slots.
inline void pack_key_tiles(const PackedChunk<BFloat16>& c) {
  const int64_t steps = steps_of<Pairs>(c.width);
  for (int64_t j = 0; j < c.count; ++j) {
    float* words = c.keys + j / kTile * steps * kTile + j % kTile * kTile;
    for (int64_t step = 0; step < steps; step += kTile, words += kTileWords) {
      const int64_t channels = c.width - 2 * step < 2 * kTile ? c.width - 2 * step : 2 * kTile;
      BFloat16 row[2 * kTile] = {};
      std::memcpy(row, c.k.row(j) + 2 * step, static_cast<size_t>(channels) * sizeof(BFloat16));
      std::memcpy(words, row, sizeof row);
    }
  }
}

/// Packs tiles of sixteen channels and 32 slots: all slots of a panel of channels, then the next panel.
inline void pack_values(const PackedChunk<BFloat16>& c) {
  const int64_t slots = steps_of<Pairs>(c.count) * Pairs::kPerWord;
  float* words = c.values;
  for (int64_t channel = 0; channel < c.width; channel += kPanel) {
    for (int64_t slot = 0; slot < slots; slot += 2 * kTile, words += kTileWords) {
      Floats pairs[kTile];
      for (int64_t i = 0; i < kTile; ++i) {
        const int64_t first = slot + 2 * i;
        if (first + 1 < c.count && channel + kPanel <= c.width) {
          pairs[i] = __builtin_bit_cast(Floats, interleaved(c.v.row(first) + channel, c.v.row(first + 1) + channel));
        } else {
          float some[kPanel];
          pack_panel_end(c, first, channel, some);
          std::memcpy(&pairs[i], some, sizeof some);
        }
      }
      transpose(pairs);
      std::memcpy(words, pairs, sizeof pairs);
    }
  }
}
#endif

template <class T>
inline void pack_values(const PackedChunk<T>& c) {
  using Kind = typename WordsOf<T>::Kind;
  const int64_t steps = steps_of<Kind>(c.count);
  for (int64_t step = 0; step < steps; ++step) {
    const int64_t slot = step * Kind::kPerWord;
    const bool whole = slot + Kind::kPerWord <= c.count;
    for (int64_t channel = 0; channel < c.width; channel += kPanel) {
      float* words = c.values + (channel * steps) + step * kPanel;
      if (!whole || channel + kPanel > c.width) {
        pack_panel_end(c, slot, channel, words);
        continue;
      }
#ifdef PARITY_LEVEL_avx512_bf16
      if constexpr (Kind::kPerWord == 2) {
        const __m512i pairs = interleaved(c.v.row(slot) + channel, c.v.row(slot + 1) + channel);
        std::memcpy(words, &pairs, sizeof pairs);
        continue;
      }
#endif
      for (int64_t i = 0; i < kPanel; i += kLanes) store(words + i, load(c.v.row(slot) + channel + i));
    }
  }
}

/// Whether a value of the chunk is infinite or NaN, so that a weight of zero times it is NaN.
template <class T>
inline bool any_special(const PackedChunk<T>& c) {
  for (int64_t j = 0; j < c.count; ++j) {
    const T* row = c.v.row(j);
    Floats wrong = {};
    int64_t d = 0;
    for (; d + kLanes <= c.width; d += kLanes) wrong += load(row + d) * 0.0F;
    wrong += load_some(row + d, c.width - d) * 0.0F;
    if (!(sum(wrong) == 0.0F)) return true;
  }
  return false;
}

}  // namespace parity::cpu::PARITY_LEVEL

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Packs the operands of a block of lightning attention: keys, values, tables of decays; finds whether they are plain.
#include "optimized/cpu/lightning/lightning_head.hpp"
#include "optimized/cpu/simd/lightning_words.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

/// Packs keys with tokens in lanes and words of channels as steps.
template <class Kind, class T>
void pack_keys(const LightningBlock<T>& b, int64_t panel) {
  const int64_t steps = steps_of<Kind>(b.width);
  float* to = b.keys + panel * steps * kLanes;
  for (int64_t w = 0; w < steps; w += kLanes) {
    Floats words[kLanes];
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const int64_t j = panel * kLanes + lane;
      words[lane] = j < b.tokens ? words_at<Kind>(b.k.row(j), w, b.width) : Floats{};
    }
    transpose(words);
    for (int64_t i = 0; i < least(kLanes, steps - w); ++i) store(to + (w + i) * kLanes, words[i]);
  }
}

/// Packs values with channels in lanes and words of tokens as steps.
template <class Kind, class T>
void pack_values(const LightningBlock<T>& b, int64_t panel) {
  const int64_t steps = steps_of<Kind>(b.tokens), channel = panel * kLanes, some = least(b.width - channel, kLanes);
  const auto at = [&](int64_t j) {
    if (j >= b.tokens) return Floats{};
    return some == kLanes ? load(b.v.row(j) + channel) : load_some(b.v.row(j) + channel, some);
  };
  for (int64_t step = 0; step < steps; ++step)
    store(b.values + (panel * steps + step) * kLanes,
          WordsHeld<Kind>::of([&](int64_t i) { return at(step * Kind::kPerWord + i); }));
}

template <class Kind, class T>
void pack(const LightningBlock<T>& b) {
  const int64_t keys = lightning_padded(b.tokens) / kLanes;
  for (int64_t p = b.first; p < b.last; ++p) p < keys ? pack_keys<Kind>(b, p) : pack_values<Kind>(b, p - keys);
}

bool any_number(Floats v) {
#ifdef PARITY_LEVEL_avx2
  return _mm256_movemask_ps(_mm256_cmp_ps(v, _mm256_setzero_ps(), _CMP_NEQ_UQ)) != 0;
#else
  return _mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_NEQ_UQ) != 0;
#endif
}

template <class Table>
void decays(const LightningDecays<Table>& s) {
  Floats wrong = {};
  for (int64_t i = 0; i < s.count; ++i) {
    s.from[i] = s.count;
    s.to[i] = 0;
    for (int64_t j = 0; j < s.diagonal_row; j += kLanes) {
      const int64_t some = s.count - j;
      const Table* at = s.table + i * s.table_row + j;
      const Floats v = some >= kLanes ? load(at) : some > 0 ? load_some(at, some) : Floats{};
      store(s.diagonal + i * s.diagonal_row + j, v * kLightningGrowth);
      wrong += v * 0.0F;
      if (!any_number(v)) continue;
      if (s.to[i] == 0) s.from[i] = j;
      s.to[i] = least(j + kLanes, s.count);
    }
  }
  *s.finite = sum(wrong) == 0.0F;
}

/// Returns the larger of two magnitudes as bits without sign; NaN counts as larger than any number.
[[gnu::always_inline]] inline Words larger_bits(Words a, Words b) {
#ifdef PARITY_LEVEL_avx2
  return __builtin_bit_cast(Words, _mm256_max_epu32(__builtin_bit_cast(__m256i, a), __builtin_bit_cast(__m256i, b)));
#else
  return __builtin_bit_cast(Words, _mm512_max_epu32(__builtin_bit_cast(__m512i, a), __builtin_bit_cast(__m512i, b)));
#endif
}

template <class T>
void scan(const LightningScan<T>& s) {
  Words most[4] = {};
  const auto bits = [](Floats v) { return __builtin_bit_cast(Words, v) & 0x7fffffffU; };
  for (int64_t j = 0; j < s.tokens; ++j) {
    const T* row = s.rows.row(j);
    int64_t d = 0;
    for (; d + 4 * kLanes <= s.width; d += 4 * kLanes) {
      for (int i = 0; i < 4; ++i) most[i] = larger_bits(most[i], bits(load(row + d + i * kLanes)));
    }
    for (; d < s.width; d += kLanes) {
      const int64_t some = s.width - d;
      most[0] = larger_bits(most[0], bits(some >= kLanes ? load(row + d) : load_some(row + d, some)));
    }
  }
  const Words all_most = larger_bits(larger_bits(most[0], most[1]), larger_bits(most[2], most[3]));
  *s.plain = true;
  for (int i = 0; i < kLanes; ++i) *s.plain = *s.plain && all_most[i] < __builtin_bit_cast(uint32_t, kLightningPlain);
}

}  // namespace

void lightning_scan_f32(const LightningScan<float>& args) { scan(args); }
void lightning_scan_bf16(const LightningScan<BFloat16>& args) { scan(args); }
void lightning_decays_f32(const LightningDecays<float>& args) { decays(args); }
void lightning_decays_bf16(const LightningDecays<BFloat16>& args) { decays(args); }
void lightning_pack_f32(const LightningBlock<float>& args) { pack<Singles>(args); }
void lightning_pack_bf16(const LightningBlock<BFloat16>& args) {
  by_kind(args, [&]<class Kind>() { pack<Kind>(args); });
}

void lightning_keep(const LightningKeep& k) {
  for (int64_t d = 0; d < k.width; ++d) {
    for (int64_t p = 0; p < panels_of(k.width); ++p)
      keep(k.rows, d, p * kLanes, load(k.state + (p * lightning_padded(k.width) + d) * kLanes),
           least(k.width - p * kLanes, kLanes));
  }
}

}  // namespace parity::cpu::PARITY_LEVEL

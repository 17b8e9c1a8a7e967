// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Lightning attention of tokens after a past: the state is read, updated and multiplied in one pass. Channels of the
// values lie in lanes and are independent.
#include "optimized/cpu/lightning/lightning_head.hpp"
#include "optimized/cpu/simd/lightning_words.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

constexpr int kAcross = kLanes == 8 ? 4 : 8;  // vectors of channels at a time

/// Returns a b + c, always fused: results must not depend on how many channels are computed together.
[[gnu::always_inline]] inline Floats fused(Floats a, Floats b, Floats c) {
#ifdef PARITY_LEVEL_avx2
  return __builtin_bit_cast(Floats, _mm256_fmadd_ps(__builtin_bit_cast(__m256, a), __builtin_bit_cast(__m256, b),
                                                    __builtin_bit_cast(__m256, c)));
#else
  return __builtin_bit_cast(Floats, _mm512_fmadd_ps(__builtin_bit_cast(__m512, a), __builtin_bit_cast(__m512, b),
                                                    __builtin_bit_cast(__m512, c)));
#endif
}

/// The roundings known when the loop over the state is compiled: none, some, or BF16 at every point.
enum class Rounding : uint8_t { none, some, every };

template <Rounding rounding>
[[gnu::always_inline]] inline Floats rounded_at(bool point, Floats v) {
  if constexpr (rounding == Rounding::none) return v;
  if constexpr (rounding == Rounding::some) return rounded_if<BFloat16>(point, v);
  return rounded(v);  // operands of 16 bits
}

/// Stores rounded values: their upper halves are exact.
[[gnu::always_inline]] inline void store_rounded(BFloat16* x, Floats v) {
#ifdef PARITY_LEVEL_avx2
  const __m256i upper = _mm256_srli_epi32(__builtin_bit_cast(__m256i, v), 16);
  const __m128i h = _mm256_castsi256_si128(_mm256_permute4x64_epi64(_mm256_packus_epi32(upper, upper), 0x08));
#else
  const __m256i h = _mm512_cvtepi32_epi16(_mm512_srli_epi32(__builtin_bit_cast(__m512i, v), 16));
#endif
  std::memcpy(x, &h, sizeof h);
}

/// Computes one token for the channels of `vectors` vectors from `channel` on. A last vector may have `some` < kLanes.
template <Rounding rounding, int vectors, class T, class K>
[[gnu::always_inline]] inline void token(const LightningTokens<T>& t, int64_t s, const K* past, int64_t past_row,
                                         K* state, int64_t channel, int64_t some) {
  const auto read = [&](const auto* x) { return some == kLanes ? load(x) : load_some(x, some); };
  const auto write = [&](auto* x, Floats v) { some == kLanes ? store(x, v) : store_some(x, v, some); };
  const LightningRounds& round = t.round;
  const Floats decay = all(t.decay);
  Floats value[vectors], sums[vectors] = {};
  for (int v = 0; v < vectors; ++v) value[v] = read(t.v.row(s) + channel + v * kLanes);
  for (int64_t d = 0; d < t.width; ++d) {
    const Floats key = all(float_of(t.k.row(s)[d])), query = all(float_of(t.q.row(s)[d]));
    const K* before = past + d * past_row + channel;
    K* after = state + d * t.state.stride + channel;
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      const Floats old = read(before + v * kLanes);
      Floats now;
      if constexpr (rounding == Rounding::none) {
        now = fused(decay, old, key * value[v]);
      } else {
        const Floats increment = rounded_at<rounding>(round.increment, key * value[v]);
        now = rounded_at<rounding>(round.decayed_state, decay * old) + increment;
        now = rounded_at<rounding>(round.state, now);
      }
      if constexpr (rounding == Rounding::every) {
        some == kLanes ? store_rounded(after + v * kLanes, now) : store_some(after + v * kLanes, now, some);
      } else {
        write(after + v * kLanes, now);
      }
      if constexpr (rounding == Rounding::some) now = rounded_at<rounding>(round.read_state, now);
      sums[v] = fused(query, now, sums[v]);
    }
  }
  for (int v = 0; v < vectors; ++v) write(t.out.row(s) + channel + v * kLanes, sums[v]);
}

template <Rounding rounding, class T, class K>
void tokens(const LightningTokens<T>& t, const K* past, K* state) {
  for (int64_t s = 0; s < t.tokens; ++s) {
    const K* before = s == 0 ? past : state;
    const int64_t row = s == 0 ? t.past.stride : t.state.stride;
    int64_t channel = t.first;
    for (; channel + kAcross * kLanes <= t.last; channel += kAcross * kLanes)
      token<rounding, kAcross>(t, s, before, row, state, channel, kLanes);
    for (; channel + kLanes <= t.last; channel += kLanes) token<rounding, 1>(t, s, before, row, state, channel, kLanes);
    if (channel < t.last) token<rounding, 1>(t, s, before, row, state, channel, t.last - channel);
  }
}

}  // namespace

void lightning_tokens_f32(const LightningTokens<float>& args) {
  tokens<Rounding::none>(args, args.past.single, args.state.single);
}
void lightning_tokens_bf16(const LightningTokens<BFloat16>& args) {
  const LightningRounds& r = args.round;
  if (args.past.half == nullptr) {
    tokens<Rounding::some>(args, args.past.single, args.state.single);
  } else if (r.increment && r.decayed_state && r.state) {
    tokens<Rounding::every>(args, args.past.half, args.state.half);  // values that are read back were rounded
  } else {
    tokens<Rounding::some>(args, args.past.half, args.state.half);
  }
}

}  // namespace parity::cpu::PARITY_LEVEL

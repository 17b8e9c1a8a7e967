// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Routed experts: products of one expert's weights with a tile of its tokens, then the activation or the weighted sum. Many
// tokens lie along the lanes and share each weight row; few read the weights along their channels, at memory speed.
#include "optimized/cpu/expert_tile.hpp"
#include "optimized/cpu/simd/dots.hpp"
#include "optimized/cpu/simd/functions.hpp"
#include "optimized/cpu/simd/tiles.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

static_assert(kTokens <= kExpertTokens);
constexpr int64_t kDepth = 128;  // steps at a time: the packed tokens of so many stay in the first cache

/// NaN stays NaN.
template <class T>
[[gnu::always_inline]] inline Floats rounded(Floats v, bool rounds) {
  if (sizeof(T) == sizeof(float) || !rounds) return v;
  const Words bits = __builtin_bit_cast(Words, v);
  const Floats near = __builtin_bit_cast(Floats, (bits + 0x7fffU + ((bits >> 16U) & 1U)) & 0xffff0000U);
  return v == v ? near : v;
}

template <class T>
[[gnu::always_inline]] inline T narrowed(float x) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return x;
  } else {
    const auto bits = __builtin_bit_cast(uint32_t, x);
    const uint32_t near = (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
    return {static_cast<uint16_t>(x == x ? near : (bits >> 16U) | 0x40U)};
  }
}

#ifdef PARITY_LEVEL_amx_bf16
/// Steps [first, first + depth) of whole tiles of the rows [f, last); returns the first row that is left.
template <int V>
int64_t tiles_of_rows(const ExpertTile<BFloat16>& a, int64_t f, int64_t last, int64_t first, int64_t depth,
                      float* sums) {
  if (depth % kTile != 0 || 2 * (first + depth) > a.width) return f;
  const float* columns[V];
  float* totals[V];
  for (int v = 0; v < V; ++v) {
    columns[v] = a.packed + first * kTokens + v * kLanes;
    totals[v] = sums + v * kLanes;
  }
  const int64_t row = a.width * static_cast<int64_t>(sizeof(BFloat16)), tiles = (last - f) / kTile;
  const TileRows left{a.weight + f * a.width + 2 * first, row, kTileRow, kTile * row};
  const TileColumns right{columns, kTokens, kTile * kTokens, totals, kTokens, kTile * kTokens};
  if (first > 0) {
    multiply_tiles<true>(left, tiles, right, V, depth / kTile);
  } else {
    multiply_tiles<false>(left, tiles, right, V, depth / kTile);
  }
  return f + tiles * kTile;
}
#endif

/// sums[row * kTokens + token] for rows [first, last), from packed tokens.
template <class T, int V>
void products_of_tile(const ExpertTile<T>& a, int64_t first, int64_t last, float* sums, Row<T>* copies) {
  const int64_t steps = (a.width + kChannels<T> - 1) / kChannels<T>;
  const auto* packed = reinterpret_cast<const Packed<T>*>(a.packed);
  for (int64_t i = 0; i < steps; i += kDepth) {
    const int64_t depth = i + kDepth < steps ? kDepth : steps - i;
    const int64_t channel = i * kChannels<T>;
    const int64_t channels = channel + depth * kChannels<T> < a.width ? depth * kChannels<T> : a.width - channel;
    int64_t f = first;
#ifdef PARITY_LEVEL_amx_bf16
    if constexpr (kPairs<T>) f = tiles_of_rows<V>(a, first, last, i, depth, sums);
#endif
    for (; f < last; f += kTileRows) {
      const Row<T>* rows[kTileRows];
      for (int64_t r = 0; r < kTileRows; ++r) {
        const T* row = a.weight + (f + r < last ? f + r : last - 1) * a.width + channel;
        rows[r] = copies + r * kDepth * kChannels<T>;
        if constexpr (std::is_same_v<T, Row<T>>) {
          if (read_in_place<T>(a.width)) {
            rows[r] = row;
            continue;
          }
        }
        copy_row(row, channels, copies + r * kDepth * kChannels<T>);
      }
      Floats sum[kTileRows][V] = {};
      float* target = sums + (f - first) * kTokens;  // holds whole quads of rows
      if (i > 0) {
#pragma GCC unroll 4
        for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 4
          for (int v = 0; v < V; ++v) sum[r][v] = load(target + r * kTokens + v * kLanes);
        }
      }
      add_products<T, V>(packed + i * kTokens, rows, depth, sum);
#pragma GCC unroll 4
      for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) store(target + r * kTokens + v * kLanes, sum[r][v]);
      }
    }
  }
}

/// The same for R tokens from `token` on; the last one stands for those behind it.
template <class T, int R>
void products_of_few(const ExpertTile<T>& a, int64_t token, int64_t first, int64_t last, float* sums) {
  constexpr int kOthers = kLanes / R;
  const T* tokens[R];
  for (int64_t r = 0; r < R; ++r) tokens[r] = a.tokens[token + r < a.count ? token + r : a.count - 1];
  for (int64_t f = first; f < last; f += kOthers) {
    const T* rows[kOthers];
    for (int64_t m = 0; m < kOthers; ++m) rows[m] = a.weight + (f + m < last ? f + m : last - 1) * a.width;
    float lanes[kLanes];
    store(lanes, dots(tokens, rows, a.width));
    for (int64_t m = 0; m < kOthers && f + m < last; ++m) {
      for (int64_t r = 0; r < R && token + r < a.count; ++r)
        sums[(f + m - first) * kTokens + token + r] = lanes[R * m + r];
    }
  }
}

template <class T>
void products(const ExpertTile<T>& a, int64_t first, int64_t last, float* sums) {
  if (a.packed == nullptr) {
    if (a.count == 1) return products_of_few<T, 1>(a, 0, first, last, sums);
    for (int64_t token = 0; token < a.count; token += kFew) products_of_few<T, kFew>(a, token, first, last, sums);
    return;
  }
  auto* copies = reinterpret_cast<Row<T>*>(a.scratch + 2 * kExpertRows * kExpertTokens);
  if (a.count <= kLanes) return products_of_tile<T, 1>(a, first, last, sums, copies);
  if (a.count <= 2 * kLanes) return products_of_tile<T, 2>(a, first, last, sums, copies);
  products_of_tile<T, kVectors>(a, first, last, sums, copies);
}

/// Clamps let NaN pass.
template <class T>
void expert_activation(const ExpertTile<T>& a) {
  float* gates = a.scratch;
  float* ups = a.scratch + kExpertRows * kExpertTokens;
  products(a, a.first, a.last, gates);
  products(a, a.inner + a.first, a.inner + a.last, ups);
  const Floats most = all(a.limit), least = all(-a.limit);
  for (int64_t f = a.first; f < a.last; ++f) {
    for (int64_t t = 0; t < a.count; t += kLanes) {
      const int64_t at = (f - a.first) * kTokens + t;
      const Floats gate = rounded<T>(load(gates + at), a.rounds_hidden);
      const Floats up = rounded<T>(load(ups + at), a.rounds_hidden);
      const Floats g = gate > most ? most : gate;
      Floats u = up > most ? most : up;
      u = u < least ? least : u;
      const Floats sigmoid = rounded<T>(logistic(rounded<T>(g * a.alpha, a.rounds_scaled)), a.rounds_sigmoid);
      T result[kLanes];
      store(result, rounded<T>(u + a.offset, a.rounds_shifted) * rounded<T>(g * sigmoid, a.rounds_gated));
      for (int64_t i = 0; i < kLanes && t + i < a.count; ++i) a.activation[t + i][f] = result[i];
    }
  }
}

/// Adds each token's share in its own type, as the experts come: their order is that of the calls.
template <class T>
void expert_sum(const ExpertTile<T>& a) {
  products(a, a.first, a.last, a.scratch);
  for (int64_t h = a.first; h < a.last; ++h) {
    for (int64_t t = 0; t < a.count; t += kLanes) {
      const Floats value = rounded<T>(load(a.scratch + (h - a.first) * kTokens + t), a.rounds_down);
      float down[kLanes];
      store(down, value);
      for (int64_t i = 0; i < kLanes && t + i < a.count; ++i) {
        const float share = down[i] * a.factor[t + i];
        if (a.weighted != nullptr) a.weighted[t + i][h] = share;
        T* out = a.out[t + i] + h;
        const T addend = narrowed<T>(share);
        *out = a.begins[t + i] ? addend : narrowed<T>(widened(*out) + widened(addend));
      }
    }
  }
}

template <class T>
void pack_tokens(const PackTokens<T>& a) {
  pack(a.rows, a.count, a.width, a.first / kChannels<T>, (a.last + kChannels<T> - 1) / kChannels<T>,
       reinterpret_cast<Packed<T>*>(a.packed));
}

}  // namespace

void pack_tokens_f32(const PackSingle& args) { pack_tokens(args); }
void pack_tokens_bf16(const PackHalf& args) { pack_tokens(args); }
void expert_activation_f32(const ExpertSingle& args) { expert_activation(args); }
void expert_activation_bf16(const ExpertHalf& args) {
#ifdef PARITY_LEVEL_amx_bf16
  const Tiles tiles;
#endif
  expert_activation(args);
}
void expert_sum_f32(const ExpertSingle& args) { expert_sum(args); }
void expert_sum_bf16(const ExpertHalf& args) {
#ifdef PARITY_LEVEL_amx_bf16
  const Tiles tiles;
#endif
  expert_sum(args);
}

}  // namespace parity::cpu::PARITY_LEVEL

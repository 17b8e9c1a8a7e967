// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Index scores of many queries: a token in each lane, four keys at a time, the block's maximum in registers.
#include "optimized/cpu/index/index_tiles.hpp"
#include "optimized/cpu/simd/tile.hpp"
#include "optimized/cpu/simd/tiles.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

constexpr float kNothing = -__builtin_inff();

using Whole = int32_t __attribute__((vector_size(4 * kLanes)));

/// The slots that the queries of a tile see: up to `last[t]`. All queries see those up to `least`, none past `most`.
struct Visible {
  alignas(64) int32_t last[kTokens];
  int64_t least, most;
};

template <class T>
Visible visible_of(const IndexTile<T>& a) {
  Visible seen;
  seen.least = a.slots;
  seen.most = -1;
  for (int64_t t = 0; t < kTokens; ++t) {
    int64_t last = -1;
    if (t < a.last - a.first) {
      last = a.positions[(a.first + t) * a.position];
      if (last >= a.slots) last = a.slots - 1;
      if (last < 0) last = -1;
      if (last < seen.least) seen.least = last;
      if (last > seen.most) seen.most = last;
    }
    seen.last[t] = static_cast<int32_t>(last);
  }
  return seen;
}

/// Raises `best` to the larger of score and best; NaN counts as larger than any number and stays.
template <int V>
[[gnu::always_inline]] inline void raise(Floats (&score)[kTileRows][V], Floats (&best)[V]) {
  if (__builtin_expect(any_nan<kTileRows * V>(&score[0][0]), 0)) {
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) best[v] = score[r][v] == score[r][v] ? best[v] : score[r][v];
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    const Floats one = larger(score[1][v], larger(score[0][v], best[v]));  // NaN in `best` stays
    best[v] = larger(score[3][v], larger(score[2][v], one));
  }
}

/// Raises the maxima by the scores of slots [j, j + kTileRows), those up to `last`.
template <int V>
[[gnu::always_inline]] inline void see(Floats (&score)[kTileRows][V], int64_t j, int64_t last, const Visible& seen,
                                       Floats (&best)[V]) {
  if (j + kTileRows - 1 > seen.least) {
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows; ++r) {
      const auto slot = static_cast<int32_t>(j + r < last ? j + r : last - 1);
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) {
        Whole mine;
        std::memcpy(&mine, seen.last + v * kLanes, sizeof mine);
        score[r][v] = mine >= slot ? score[r][v] : all(kNothing);
      }
    }
  }
  raise<V>(score, best);
}

#ifdef PARITY_LEVEL_amx_bf16
/// Whether the rows' width is a multiple of a tile's.
inline bool in_tiles(const IndexTile<BFloat16>& a) { return a.width % (2 * kTile) == 0; }

/// Scans whole tiles of the slots [first, last); returns the first slot that is left.
template <int V>
int64_t scan_tiles(const IndexTile<BFloat16>& a, const Packed<BFloat16>* packed, float* scores, int64_t first,
                   int64_t last, const Visible& seen, Floats (&best)[V]) {
  const auto* words = reinterpret_cast<const float*>(packed);
  const float* columns[V];
  float* sums[V];
  for (int v = 0; v < V; ++v) {
    columns[v] = words + v * kLanes;
    sums[v] = scores + v * kIndexKeys * kLanes;
  }
  const TileColumns right{columns, kTokens, kTile * kTokens, sums, kTile, kTileWords};
  const int64_t row = a.k_slot * static_cast<int64_t>(sizeof(BFloat16));
  while (last - first >= kTile) {
    const int64_t tiles = last - first >= kIndexKeys ? kIndexKeys / kTile : 1;
    multiply_tiles<false>({a.k + first * a.k_slot, row, kTileRow, kTile * row}, tiles, right, V, a.width / (2 * kTile));
    for (int64_t j = 0; j < tiles * kTile; j += kTileRows) {
      Floats score[kTileRows][V];
#pragma GCC unroll 4
      for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) score[r][v] = load(sums[v] + (j + r) * kLanes);
      }
      see<V>(score, first + j, last, seen, best);
    }
    first += tiles * kTile;
  }
  return first;
}
#endif

/// Scans slots [first, last) of one block. `keys` are the rows of the slots, in place or copied.
template <class T, int V>
void scan(const Packed<T>* packed, const Row<T>* keys, int64_t stride, int64_t first, int64_t last, int64_t steps,
          const Visible& seen, Floats (&best)[V]) {
  for (int64_t j = first; j < last; j += kTileRows) {
    const Row<T>* rows[kTileRows];
    for (int64_t r = 0; r < kTileRows; ++r) {  // past the end the last slot is repeated: it changes no maximum
      rows[r] = keys + (j + r < last ? j + r - first : last - 1 - first) * stride;
    }
    Floats score[kTileRows][V] = {};
    add_products<T, V>(packed, rows, steps, score);
    see<V>(score, j, last, seen, best);
  }
}

template <class T, int V>
void scan_block(const IndexTile<T>& a, const Packed<T>* packed, Row<T>* copies, int64_t first, int64_t last,
                const Visible& seen, Floats (&best)[V]) {
  const int64_t steps = (a.width + kChannels<T> - 1) / kChannels<T>;
#ifdef PARITY_LEVEL_amx_bf16
  if constexpr (kPairs<T>) {
    float* scores = a.scratch + (kTokens + kIndexKeys) * (a.width + 1);
    if (in_tiles(a)) first = scan_tiles<V>(a, packed, scores, first, last, seen, best);
  }
#endif
  if constexpr (std::is_same_v<T, Row<T>>) {
    if (read_in_place<T>(a.width)) {
      scan<T, V>(packed, a.k + first * a.k_slot, a.k_slot, first, last, steps, seen, best);
      return;
    }
  }
  const int64_t stride = steps * kChannels<T>;
  for (int64_t j = first; j < last; j += kIndexKeys) {
    const int64_t end = j + kIndexKeys < last ? j + kIndexKeys : last;
    for (int64_t i = j; i < end; ++i) copy_row(a.k + i * a.k_slot, a.width, copies + (i - j) * stride);
    scan<T, V>(packed, copies, stride, j, end, steps, seen, best);
  }
}

template <class T, int V>
void index_tile(const IndexTile<T>& a) {
  auto* packed = reinterpret_cast<Packed<T>*>(a.scratch);
  auto* copies = reinterpret_cast<Row<T>*>(a.scratch + kTokens * (a.width + 1));
  const Visible seen = visible_of(a);
  for (int64_t x = 0; x < a.heads; ++x) {
    const T* rows[kTokens];
    for (int64_t s = a.first; s < a.last; ++s) rows[s - a.first] = a.q + x * a.q_head + s * a.q_token;
    pack(rows, a.last - a.first, a.width, 0, (a.width + kChannels<T> - 1) / kChannels<T>, packed);
    for (int64_t n = a.first_block; n < a.last_block; ++n) {
      Floats best[V];
      for (Floats& b : best) b = all(kNothing);
      const int64_t first = n * a.block_size;
      int64_t last = first + a.block_size;
      if (last > seen.most + 1) last = seen.most + 1;
      if (first < last) scan_block<T, V>(a, packed, copies, first, last, seen, best);
      alignas(64) float result[kTokens];
      for (int v = 0; v < V; ++v) {  // a positive factor does not reorder scores
        store(result + v * kLanes, a.scale == 1.0F ? best[v] : best[v] * a.scale);
      }
      for (int64_t s = a.first; s < a.last; ++s) {
        float& out = a.out[(a.shared ? 0 : x) * a.out_head + s * a.out_token + n];
        out = a.shared && x > 0 ? amax(out, result[s - a.first]) : result[s - a.first];
      }
    }
  }
}

template <class T>
void by_vectors(const IndexTile<T>& a) {
  const int64_t rows = a.last - a.first;
  if (rows <= kLanes) return index_tile<T, 1>(a);
  if (rows <= 2 * kLanes) return index_tile<T, 2>(a);
  index_tile<T, kVectors>(a);
}

}  // namespace

void index_tile_f32(const IndexTile<float>& args) {
  for (IndexTile<float> a = args; a.first < args.last; a.first += kTokens) {
    a.last = a.first + kTokens < args.last ? a.first + kTokens : args.last;
    by_vectors(a);
  }
}
void index_tile_bf16(const IndexTile<BFloat16>& args) {
#ifdef PARITY_LEVEL_amx_bf16
  const Tiles tiles;
#endif
  for (IndexTile<BFloat16> a = args; a.first < args.last; a.first += kTokens) {
    a.last = a.first + kTokens < args.last ? a.first + kTokens : args.last;
    by_vectors(a);
  }
}

}  // namespace parity::cpu::PARITY_LEVEL

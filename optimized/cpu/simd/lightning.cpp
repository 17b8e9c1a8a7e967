// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A block of lightning attention: the weights of its tokens, the output from these and from the state before, and the
// state after. All four products have columns in lanes, and leave out columns whose decay is zero.
#include "optimized/cpu/lightning/lightning_head.hpp"
#include "optimized/cpu/simd/attention_tile.hpp"
#include "optimized/cpu/simd/lightning_words.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

constexpr int kAcross = kLanes == 8 ? 3 : 2;  // vectors of columns in one tile
/// Rows of one tile: rows of a window, or channels of the keys.
template <class Kind>
constexpr int kRows = Kind::kStepsTogether > 1 ? 32  // rows of two tiles
                      : kLanes == 8            ? 4
                                               : 8;
static_assert(kLightningWindow % 32 == 0 && kLightningPad % 32 == 0 && kLightningPad % kLanes == 0);

/// Calls body.template operator()<n>() for each group of n <= kAcross panels of [first, last).
template <class Body>
[[gnu::always_inline]] inline void in_groups(int64_t first, int64_t last, const Body& body) {
  int64_t p = first;
  for (; p + kAcross <= last; p += kAcross) body.template operator()<kAcross>(p);
  if constexpr (kAcross == 3) {
    if (p + 2 == last) return body.template operator()<2>(p);
  }
  if (p < last) body.template operator()<1>(p);
}

/// Computes sums[v][n] = sum over steps of panel a[v] times row n of b.
template <class Kind, int vectors>
[[gnu::always_inline]] inline void products(const float* const* a, const float* b, int64_t column, int64_t row,
                                            int64_t steps, Floats (&sums)[vectors][kRows<Kind>]) {
#ifdef PARITY_LEVEL_amx_bf16
  if constexpr (Kind::kStepsTogether > 1) {
    const int64_t pitch = column * static_cast<int64_t>(sizeof(float));
    float* to[vectors];
    for (int v = 0; v < vectors; ++v) to[v] = reinterpret_cast<float*>(sums[v]);
    multiply_tiles<kRows<Kind> / kTile, vectors, false>({b, pitch, kTileRow, kTile * pitch}, 0, packed_columns(a, to),
                                                        0, steps / kTile);
    return;
  }
#endif
  for (auto& vector : sums) {
    for (auto& one : vector) one = Floats{};
  }
  multiply<Kind, vectors, kRows<Kind>>(a, b, column, row, steps, sums);
}

// ---- rows ----------------------------------------------------------------------------------------------------------------
/// The columns that a tile's rows need, in whole panels.
struct Sight {
  int64_t first, last;
};
template <class Kind, class T>
Sight sight_of(const LightningBlock<T>& b, int64_t row, int64_t rows) {
  constexpr int64_t kTogether = Kind::kStepsTogether > 1 ? 2 : 1;  // panels that hold whole tiles of pairs
  if (!b.plain) return {0, panels_of(b.tokens)};
  int64_t from = b.tokens, to = 0;
  for (int64_t i = row; i < row + rows; ++i) {
    if (b.from[i] < from) from = b.from[i];
    if (to < b.to[i]) to = b.to[i];
  }
  const int64_t last = panels_of(least(to, b.tokens));
  return {from / kLanes / kTogether * kTogether, (last + kTogether - 1) / kTogether * kTogether};
}

/// Computes the weights of kRows rows for the tokens of `vectors` panels.
template <class Kind, int vectors, class T>
[[gnu::always_inline]] inline void weigh(const LightningBlock<T>& b, int64_t panel, int64_t row, int64_t rows,
                                         int64_t pitch) {
  const int64_t steps = steps_of<Kind>(b.width), at = row - b.first;
  const float* keys[vectors];
  for (int v = 0; v < vectors; ++v) keys[v] = b.keys + (panel + v) * steps * kLanes;
  Floats sums[vectors][kRows<Kind>];
  products<Kind, vectors>(keys, b.queries + at * steps, steps, 1, steps, sums);
  const Floats shrink = all(b.plain ? 1.0F : 1.0F / kLightningGrowth);
  for (int n = 0; n < rows; ++n) {
    const float* diagonal = b.diagonal + (row + n) * b.diagonal_row + panel * kLanes;
    float* weights = b.weights + (at + n) * pitch;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const Floats score = rounded_at<Kind, T>(b.round.score, sums[v][n]);
      sums[v][n] = score * shrink * load(diagonal + v * kLanes);
    }
#ifdef PARITY_LEVEL_avx512_bf16
    if constexpr (Kind::kPerWord == 2 && vectors == 2) {
      store_both(weights + panel * kLanes / 2, sums[0][n], sums[1][n]);
      continue;
    }
#endif
    for (int v = 0; v < vectors; ++v)
      store_words<Kind, T>(weights, (panel + v) * kLanes, sums[v][n], b.round.decayed_score);
  }
}

/// Writes row `n` of a tile: the part of its own block (`own`), the part of the state (`earlier`), and their sum.
template <class Kind, int vectors, class T>
[[gnu::always_inline]] inline void put_out(const LightningBlock<T>& b, int64_t row, int64_t panel, const Floats* own,
                                           const Floats* earlier) {
  T* out = b.out.row(row) + panel * kLanes;
  const int64_t left = b.width - panel * kLanes;
  Floats both[vectors];
  for (int v = 0; v < vectors; ++v) {
    const int64_t channel = (panel + v) * kLanes, some = least(left - v * kLanes, kLanes);
    const Floats intra = rounded_at<Kind, T>(b.round.intra, own[v]);
    const Floats inter = rounded_at<Kind, T>(b.round.inter, earlier[v]);
    keep(b.intra, row, channel, intra, some);
    keep(b.inter, row, channel, inter, some);
    both[v] = inter + intra;
  }
#ifdef PARITY_LEVEL_avx512_bf16
  if constexpr (Kind::kPerWord == 2 && vectors == 2) {
    if (left >= 2 * kLanes) return store_upper(out, rounded(both[0]), rounded(both[1]));
  }
#endif
  for (int v = 0; v < vectors; ++v) {
    const int64_t some = least(left - v * kLanes, kLanes);
    some == kLanes ? store(out + v * kLanes, both[v]) : store_some(out + v * kLanes, both[v], some);
  }
}

/// Computes the outputs of kRows rows in the channels of `vectors` panels.
template <class Kind, int vectors, class T>
[[gnu::always_inline]] inline void mix_rows(const LightningBlock<T>& b, int64_t panel, int64_t row, int64_t rows,
                                            int64_t pitch, Sight sight) {
  constexpr int64_t per = Kind::kPerWord;
  const int64_t steps = steps_of<Kind>(b.tokens), depth = steps_of<Kind>(b.width), at = row - b.first;
  const int64_t begin = sight.first * kLanes / per, end = least(sight.last * kLanes / per, steps);
  const float *values[vectors], *state[vectors];
  for (int v = 0; v < vectors; ++v) {
    values[v] = b.values + ((panel + v) * steps + begin) * kLanes;
    state[v] = (per == 2 ? b.state_pairs : b.state) + (panel + v) * lightning_padded(b.width) / per * kLanes;
  }
  Floats own[vectors][kRows<Kind>], earlier[vectors][kRows<Kind>];
  products<Kind, vectors>(values, b.weights + at * pitch + begin, pitch, 1, end > begin ? end - begin : 0, own);
  products<Kind, vectors>(state, b.decayed + at * depth, depth, 1, depth, earlier);
  const float shrink = b.plain ? 1.0F / kLightningGrowth : 1.0F;
  const float of_state = Kind::kPerWord == 2 ? shrink / kLightningStateGrowth : shrink;
  for (int n = 0; n < rows; ++n) {
    Floats a[vectors], e[vectors];
    for (int v = 0; v < vectors; ++v) {
      a[v] = own[v][n] * shrink;
      e[v] = earlier[v][n] * of_state;
    }
    put_out<Kind, vectors>(b, row + n, panel, a, e);
  }
}

/// Prefetches the output and the next block's operands of one row into the second-level cache, all at once, because
/// that disturbs the products least.
template <class T>
[[gnu::always_inline]] inline void fetch_ahead(const LightningBlock<T>& b, int64_t row) {
  for (int64_t d = 0; d < b.width; d += 64 / static_cast<int64_t>(sizeof(T))) {
    __builtin_prefetch(b.out.row(row) + d, 1, 2);
    if (row >= b.next) continue;
    for (const auto& rows : {b.q, b.k, b.v}) __builtin_prefetch(rows.row(b.tokens + row) + d, 0, 2);
  }
}

/// Computes one window: rows [b.first, b.last).
template <class Kind, class T>
void rows(const LightningBlock<T>& b) {
  const int64_t steps = steps_of<Kind>(b.width), pitch = b.diagonal_row / Kind::kPerWord;
  const float growth = b.plain ? kLightningGrowth : 1.0F;
  for (int64_t i = b.first; i < b.first + (b.last - b.first + kRows<Kind> - 1) / kRows<Kind> * kRows<Kind>; ++i) {
    float* query = b.queries + (i - b.first) * steps;
    float* decayed = b.decayed + (i - b.first) * steps;
    if (i < b.last) {
      copy_words<Kind>(b.q.row(i), b.width, query);
      fetch_ahead(b, i);
      decay_words<Kind>(b.q.row(i), b.width, growth * b.query_decay[i], b.round.query, decayed);
    } else {
      for (int64_t w = 0; w < steps; ++w) query[w] = decayed[w] = 0.0F;
    }
  }
  const auto each_tile = [&](const auto& body) {
    for (int64_t row = b.first; row < b.last; row += kRows<Kind>) {
      const int64_t some = least(b.last - row, kRows<Kind>);
      body(row, some, sight_of<Kind>(b, row, some));
    }
  };
  in_groups(0, lightning_padded(b.tokens) / kLanes, [&]<int vectors>(int64_t panel) {
    each_tile([&](int64_t row, int64_t some, Sight sight) {
      if (panel + vectors <= sight.last && sight.first <= panel)
        return weigh<Kind, vectors>(b, panel, row, some, pitch);
      for (int64_t p = panel < sight.first ? sight.first : panel; p < least(panel + vectors, sight.last); ++p)
        weigh<Kind, 1>(b, p, row, some, pitch);
    });
  });
  in_groups(0, panels_of(b.width), [&]<int vectors>(int64_t panel) {
    each_tile(
        [&](int64_t row, int64_t some, Sight sight) { mix_rows<Kind, vectors>(b, panel, row, some, pitch, sight); });
  });
}

// ---- state ---------------------------------------------------------------------------------------------------------------
/// Returns the word `step` of the decayed keys for kLanes channels.
template <class Kind, class T>
[[gnu::always_inline]] inline Floats decayed_keys(const LightningBlock<T>& b, int64_t step, int64_t d) {
  const int64_t some = b.width - d;
  const float growth = b.plain ? kLightningGrowth : 1.0F;
  return WordsHeld<Kind>::of([&](int64_t i) {
    const int64_t j = step * Kind::kPerWord + i;
    if (j >= b.tokens || some <= 0) return Floats{};
    const Floats x = some >= kLanes ? load(b.k.row(j) + d) : load_some(b.k.row(j) + d, some);
    return rounded_at<Kind, T>(b.round.key, x * (growth * b.key_decay[j]));
  });
}

/// Writes channels [b.first, b.last) of decayed keys over the keys: (steps, padded width), or for tiles transposed.
template <class Kind, class T>
void decay_keys(const LightningBlock<T>& b) {
  const int64_t steps = steps_of<Kind>(b.tokens), pitch = lightning_padded(b.width);
  for (int64_t d = b.first; d < b.last; d += kLanes) {
    if constexpr (Kind::kStepsTogether > 1) {
      for (int64_t step = 0; step < steps; step += kLanes) {
        Floats words[kLanes];
        for (int64_t i = 0; i < kLanes; ++i) words[i] = decayed_keys<Kind>(b, step + i, d);
        transpose(words);
        for (int64_t i = 0; i < kLanes; ++i) store(b.keys + (d + i) * steps + step, words[i]);
      }
    } else {
      for (int64_t step = 0; step < steps; ++step) store(b.keys + step * pitch + d, decayed_keys<Kind>(b, step, d));
    }
  }
}

template <class Kind, int vectors, class T>
[[gnu::always_inline]] inline void renew(const LightningBlock<T>& b, int64_t panel, int64_t channel) {
  const int64_t steps = steps_of<Kind>(b.tokens), pitch = lightning_padded(b.width);
  const float* values[vectors];
  for (int v = 0; v < vectors; ++v) values[v] = b.values + (panel + v) * steps * kLanes;
  Floats sums[vectors][kRows<Kind>];
  if constexpr (Kind::kStepsTogether > 1) {
    products<Kind, vectors>(values, b.keys + channel * steps, steps, 1, steps, sums);
  } else {
    products<Kind, vectors>(values, b.keys + channel, 1, pitch, steps, sums);
  }
  const Floats decay = all(b.decay);
  const float shrink = b.plain ? 1.0F / kLightningGrowth : 1.0F;
  for (int v = 0; v < vectors; ++v) {
    for (int64_t n = 0; n < kRows<Kind> && channel + n < b.width; ++n) {
      float* state = b.state + ((panel + v) * pitch + channel + n) * kLanes;
      const Floats increment = rounded_at<Kind, T>(b.round.increment, sums[v][n] * shrink);
      const Floats old = rounded_at<Kind, T>(b.round.decayed_state, load(state) * decay);
      store(state, rounded_at<Kind, T>(b.round.state, old + increment));
    }
  }
}

/// Computes rows [b.first, b.last) of the state, in whole tiles except the last.
template <class Kind, class T>
void state(const LightningBlock<T>& b) {
  decay_keys<Kind>(b);
  in_groups(0, panels_of(b.width), [&]<int vectors>(int64_t panel) {
    for (int64_t d = b.first; d < b.last; d += kRows<Kind>) renew<Kind, vectors>(b, panel, d);
  });
  if (b.state_pairs == nullptr) return;
  const int64_t pitch = lightning_padded(b.width);
  for (int64_t panel = 0; panel < panels_of(b.width); ++panel) {
    for (int64_t d = b.first; d < b.last; d += 2) {
      const float* at = b.state + (panel * pitch + d) * kLanes;
      store(b.state_pairs + (panel * pitch + d) / 2 * kLanes, grown_pair(load(at), load(at + kLanes)));
    }
  }
}

}  // namespace

void lightning_rows_f32(const LightningBlock<float>& args) { rows<Singles>(args); }
void lightning_rows_bf16(const LightningBlock<BFloat16>& args) {
  by_kind(args, [&]<class Kind>() { rows<Kind>(args); });
}
void lightning_state_f32(const LightningBlock<float>& args) { state<Singles>(args); }
void lightning_state_bf16(const LightningBlock<BFloat16>& args) {
  by_kind(args, [&]<class Kind>() { state<Kind>(args); });
}

}  // namespace parity::cpu::PARITY_LEVEL

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Groups the vectors of a chunk, and computes their products on a matrix unit.
#pragma once

#include "optimized/cpu/attention/attention_window.hpp"
#include "optimized/cpu/simd/attention_pack.hpp"
#include "optimized/cpu/simd/attention_softmax.hpp"
#include "optimized/cpu/simd/tiles.hpp"

namespace parity::cpu::PARITY_LEVEL {

[[gnu::always_inline]] inline int64_t padded(int64_t width) { return rounded_up(width, kPanel); }

/// The vectors that are computed together.
struct Group {
  int64_t index[kGroupVectors];  // index in the window
  int64_t limits[kGroupVectors];
  const uint16_t* visible[kGroupVectors];
  float* scores[kGroupVectors];  // replaced by weights
  Floats shrink[kGroupVectors];
  int64_t keys = 0;  // the largest limit
};

/// Prefetches the window's next chunk, a few lines between products. Without that, loading from beyond the second-level
/// cache would take as long as a chunk's products for a few vectors.
class FetchAhead {
 public:
  FetchAhead() = default;
  /// Spreads the lines of `next` over the products of `vectors` vectors with a chunk of the same length.
  template <class T>
  FetchAhead(const PackedChunk<T>* next, int64_t vectors) {
    if (next == nullptr || vectors == 0) return;
    constexpr int64_t kLines = 32;  // of keys and again of values, per product with one vector
    constexpr auto kElement = static_cast<int64_t>(sizeof(T));
    each_ = (kLines + vectors - 1) / vectors;
    rows_ = next->count;
    width_ = next->width * kElement;
    key_ = {next->k.data, next->k.stride * kElement};
    value_ = {next->v.data, next->v.stride * kElement};
    if (next->ahead) value_ = {next->values, width_};
    if (keys_in_tiles(*next)) key_ = {next->keys, width_};
  }
  [[gnu::always_inline]] void some() {
    for (int64_t i = 0; i < each_ && rows_ > 0; ++i) {
      _mm_prefetch(static_cast<const char*>(key_.row) + at_, _MM_HINT_T1);
      _mm_prefetch(static_cast<const char*>(value_.row) + at_, _MM_HINT_T1);
      at_ += kLine;
      if (at_ < width_) continue;
      at_ = 0;
      key_.advance();
      value_.advance();
      --rows_;
    }
  }

 private:
  static constexpr int64_t kLine = 64;
  struct Rows {
    const void* row = nullptr;
    int64_t stride = 0;  // bytes

    void advance() { row = static_cast<const char*>(row) + stride; }
  };
  Rows key_, value_;
  int64_t each_ = 0, rows_ = 0, width_ = 0, at_ = 0;
};

/// The state of a chunk while its vectors are computed.
struct Progress {
  const float* keys;
  int64_t stride;
  bool packed;       // the values are packed
  int special = -1;  // whether a value is infinite or NaN; -1: not known yet
  FetchAhead fetch{};
};

#ifdef PARITY_LEVEL_amx_bf16
/// Computes the scores of whole tiles of keys; returns how many keys these are.
template <class Between = NothingBetween>
inline int64_t score_tiles(const AttentionStep<BFloat16>& s, const Group& group, int vectors, const Progress& progress,
                           const Between& between = {}) {
  const int64_t steps = steps_of<Pairs>(s.chunk.width);
  const int64_t tiles = least(rounded_up(group.keys, kTile), s.chunk.count) / kTile;
  const float* queries[kGroupVectors];
  for (int v = 0; v < vectors; ++v) queries[v] = s.window.queries + group.index[v] * steps * kLanes;
  const int64_t row = progress.stride * static_cast<int64_t>(sizeof(float));
  const TileRows keys = keys_in_tiles(s.chunk) ? TileRows{progress.keys, kTileRow, kTile * kTileRow, kTile * row}
                                               : TileRows{progress.keys, row, kTileRow, kTile * row};
  multiply_tiles<false>(keys, tiles, packed_columns(queries, group.scores), vectors, steps / kTile, between);
  return tiles * kTile;
}

template <class Between = NothingBetween>
inline void mix_tiles(const AttentionStep<BFloat16>& s, const Group& group, int vectors, const Between& between = {}) {
  const int64_t panels = padded(s.chunk.width) / kPanel;
  float* mixed[kGroupVectors];
  for (int v = 0; v < vectors; ++v) {
    mixed[v] = s.window.mixed + group.index[v] * panels * kTileWords;
    if (_mm512_cmpneq_ps_mask(group.shrink[v], all(1.0F)) == 0) continue;
    for (int64_t i = 0; i < panels * kPanel; ++i)
      store(mixed[v] + i * kLanes, load(mixed[v] + i * kLanes) * group.shrink[v]);
  }
  constexpr int64_t kTileBytes = kTile * kTileRow;
  const int64_t tiles = steps_of<Pairs>(s.chunk.count) / kTile;
  multiply_tiles<true>({s.chunk.values, kTileRow, kTileBytes, tiles * kTileBytes}, panels,
                       packed_columns(group.scores, mixed), vectors, steps_of<Pairs>(group.keys) / kTile, between);
}

/// Computes the weights of two vectors whose lanes all see the whole chunk, a few words at a time.
class PairSoftening {
 public:
  PairSoftening(const AttentionStep<BFloat16>& s, Group& group) : group_(group) {
    for (int v = 0; v < 2; ++v) {
      const int64_t at = group.index[v] * kLanes;
      each_[v] = {group.scores[v], group.keys, s.window.exponent, nullptr, s.window.reference + at};
      total_[v] = s.window.total + at;
    }
  }
  [[gnu::always_inline]] void some() {
    if (now_ == 2) return;
    Softening<Pairs>& one = each_[now_];
    one.take<kSteps>();
    if (!one.has<kSteps>()) ++now_;
  }
  void rest() {
    for (int v = 0; v < 2; ++v) {
      each_[v].rest(group_.keys, total_[v]);
      group_.shrink[v] = each_[v].shrink();
    }
  }
  static constexpr int kSteps = 4;

 private:
  Group& group_;
  Softening<Pairs> each_[2];
  float* total_[2];
  int now_ = 0;
};

/// Computes, in pairs, the vectors whose lanes all see the whole of a long chunk. While the weights of one pair are
/// computed, the matrix unit mixes the pair before and scores the pair after. In short chunks it does nothing, because
/// larger groups one after another are faster there. Marks the vectors in `done`.
inline void attend_whole(const AttentionStep<BFloat16>& s, Progress& progress, bool* done) {
  constexpr int64_t kStages = 3;  // one pair is scored, one gets weights, one is mixed
  static_assert(2 * kStages <= kScoreVectors);
  int64_t whole[kWindowVectors], count = 0;
  for (int64_t v = 0; v < s.window.vectors; ++v) {
    if (s.limits[v] == s.chunk.count && s.visible[v] == nullptr) whole[count++] = v;
  }
  const int64_t pairs = s.chunk.count == kMostChunkKeys ? count / 2 : 0;
  if (pairs < 2) return;
  if (!progress.packed) pack_values(s.chunk);
  progress.packed = true;
  Group groups[kStages];
  const auto group_of = [&](int64_t pair) -> Group& {
    Group& group = groups[pair % kStages];
    group.keys = s.chunk.count;
    for (int v = 0; v < 2; ++v) {
      group.index[v] = whole[2 * pair + v];
      group.scores[v] = s.window.scores + (pair % kStages * 2 + v) * kMostChunkKeys * kLanes;
      done[group.index[v]] = true;
    }
    return group;
  };
  score_tiles(s, group_of(0), 2, progress);
  for (int64_t pair = 0; pair < pairs; ++pair) {
    PairSoftening softening(s, groups[pair % kStages]);
    const auto between = [&] {
      softening.some();
      progress.fetch.some();
    };
    if (pair > 0) mix_tiles(s, groups[(pair - 1) % kStages], 2, between);
    if (pair + 1 < pairs) score_tiles(s, group_of(pair + 1), 2, progress, between);
    softening.rest();
  }
  mix_tiles(s, groups[(pairs - 1) % kStages], 2);
}
#endif

}  // namespace parity::cpu::PARITY_LEVEL

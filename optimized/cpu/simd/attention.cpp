// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Softmax attention with a running reference, chunk of keys by chunk. Lanes are rows, so that maxima, weights and sums
// are whole vectors, and the result of a row does not depend on the rows beside it.
#include "optimized/cpu/attention/attention_window.hpp"
#include "optimized/cpu/simd/attention_ends.hpp"
#include "optimized/cpu/simd/attention_pack.hpp"
#include "optimized/cpu/simd/attention_tile.hpp"
#include "optimized/cpu/simd/attention_tiles.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

template <class Kind, int vectors, class T>
void score_group(const AttentionStep<T>& s, Group& group, Progress& progress) {
  constexpr int columns = kColumns<vectors>;
  const int64_t steps = steps_of<Kind>(s.chunk.width), stride = progress.stride;
  const float* keys = progress.keys;
  const float* queries[vectors];
  float* scores[vectors];
  for (int v = 0; v < vectors; ++v) queries[v] = s.window.queries + group.index[v] * steps * kLanes;
  int64_t j = 0;
#ifdef PARITY_LEVEL_amx_bf16
  if constexpr (Kind::kStepsTogether > 1) j = score_tiles(s, group, vectors, progress, [&] { progress.fetch.some(); });
#endif
  const auto at = [&](int64_t slot) {
    for (int v = 0; v < vectors; ++v) scores[v] = group.scores[v] + slot * kLanes;
  };
  for (; j < group.keys && j + columns <= s.chunk.count; j += columns) {
    at(j);
    if (vectors == 1 && !s.chunk.ahead) {
      if (j + 2 * columns <= s.chunk.count) fetch(s.chunk.k.row(j + columns), s.chunk.k.stride, columns, s.chunk.width);
      fetch(s.chunk.v.row(j), s.chunk.v.stride, columns, s.chunk.width);
    }
    score<Kind, vectors, columns>(queries, keys + j * stride, stride, steps, scores);
  }
  for (; j < group.keys; ++j) {
    at(j);
    score<Kind, vectors, 1>(queries, keys + j * stride, stride, steps, scores);
  }
}

template <class Kind, int vectors, class T>
void mix_group(const AttentionStep<T>& s, Group& group, Progress& progress) {
  const bool in_place = values_in_place(s.chunk);
  if (!progress.packed && !in_place) pack_values(s.chunk);
  progress.packed = true;
#ifdef PARITY_LEVEL_amx_bf16
  if constexpr (Kind::kStepsTogether > 1) return mix_tiles(s, group, vectors, [&] { progress.fetch.some(); });
#endif
  const float* values = in_place ? reinterpret_cast<const float*>(s.chunk.v.data) : s.chunk.values;
  const int64_t panel =
      in_place ? 1 : steps_of<Kind>(s.chunk.count);  // words from the channels of one panel to those of the next
  const int64_t row = in_place ? s.chunk.v.stride : kPanel;
  float* mixed[vectors];
  for (int64_t channel = 0; channel < s.chunk.width; channel += kPanel) {
    for (int v = 0; v < vectors; ++v)
      mixed[v] = s.window.mixed + (group.index[v] * padded(s.chunk.width) + channel) * kLanes;
    mix<Kind, vectors>(group.scores, values + channel * panel, row, kPanel, steps_of<Kind>(group.keys), group.shrink,
                       mixed);
  }
}

/// Does the work of mix_group if a hidden value is infinite or NaN: each lane adds only the values that it sees.
template <class Kind, class T>
void mix_carefully(const AttentionStep<T>& s, const Group& group, int v) {
  for (int64_t d = 0; d < s.chunk.width; ++d) {
    float* mixed = s.window.mixed + (group.index[v] * padded(s.chunk.width) + d) * kLanes;
    Floats sum = load(mixed) * group.shrink[v];
    for (int64_t j = 0; j < group.limits[v]; ++j) {
      const Floats word = load(group.scores[v] + j / Kind::kPerWord * kLanes);
      const Floats more =
          Kind::weight(word, static_cast<int>(j % Kind::kPerWord)) * float_of(s.chunk.v.row(j)[d]) + sum;
      sum = group.visible[v] == nullptr ? more : chosen(group.visible[v][j], more, sum);
    }
    store(mixed, sum);
  }
}

/// Whether all lanes of the group see all slots whose values they are multiplied by.
template <class Kind>
bool all_seen(const Group& group, int vectors, int64_t count) {
  const int64_t read = least(steps_of<Kind>(group.keys) * Kind::kPerWord, count);
  bool seen = true;
  for (int v = 0; v < vectors; ++v) seen = seen && group.visible[v] == nullptr && group.limits[v] == read;
  return seen;
}

/// Mixes one vector of a group separately, so that slots which only the other vectors see do not affect it.
template <class Kind, class T>
void mix_alone(const AttentionStep<T>& s, const Group& group, int v, Progress& progress) {
  Group alone{};
  alone.index[0] = group.index[v];
  alone.limits[0] = alone.keys = group.limits[v];
  alone.visible[0] = group.visible[v];
  alone.scores[0] = group.scores[v];
  alone.shrink[0] = group.shrink[v];
  if (all_seen<Kind>(alone, 1, s.chunk.count)) {
    mix_group<Kind, 1>(s, alone, progress);
  } else {
    mix_carefully<Kind>(s, alone, 0);
  }
}

template <class Kind, int vectors, class T>
void attend_group(const AttentionStep<T>& s, Group& group, Progress& progress) {
  score_group<Kind, vectors>(s, group, progress);
  for (int v = 0; v < vectors; ++v) {
    const int64_t at = group.index[v] * kLanes;
    Softening<Kind> softening(group.scores[v], group.limits[v], s.window.exponent, group.visible[v],
                              s.window.reference + at);
    softening.rest(group.keys, s.window.total + at);
    group.shrink[v] = softening.shrink();
  }
  if (!all_seen<Kind>(group, vectors, s.chunk.count)) {
    if (progress.special < 0) progress.special = any_special(s.chunk) ? 1 : 0;
    if (progress.special == 1) {
      for (int v = 0; v < vectors; ++v) mix_alone<Kind>(s, group, v, progress);
      return;
    }
  }
  mix_group<Kind, vectors>(s, group, progress);
}

template <class T>
Progress begin(const PackedChunk<T>& c) {
  using Kind = typename WordsOf<T>::Kind;
  if (keys_in_tiles(c)) return {c.keys, steps_of<Kind>(c.width), true};
  if (keys_in_place(c)) return {reinterpret_cast<const float*>(c.k.data), c.k.stride / Kind::kPerWord, c.ahead};
  if (!c.ahead) pack_keys(c);
  return {c.keys, steps_of<Kind>(c.width), c.ahead};
}

template <class T>
void step(const AttentionStep<T>& s) {
  using Kind = typename WordsOf<T>::Kind;
#ifdef PARITY_LEVEL_amx_bf16
  const Tiles tiles;
#endif
  Progress progress = begin(s.chunk);
  bool done[kWindowVectors] = {};
#ifdef PARITY_LEVEL_amx_bf16
  if constexpr (Kind::kStepsTogether > 1) {
    int64_t seeing = 0;
    for (int64_t v = 0; v < s.window.vectors; ++v) seeing += s.limits[v] > 0 ? 1 : 0;
    progress.fetch = FetchAhead(s.next, seeing);
    attend_whole(s, progress, done);
  }
#endif
  if (s.chunk.ahead) progress.special = *s.chunk.special ? 1 : 0;
  for (int64_t v = 0; v < s.window.vectors;) {
    Group group{};
    int count = 0;
    for (; v < s.window.vectors && count < kTogether<Kind>; ++v) {
      if (s.limits[v] == 0 || done[v]) continue;
      group.index[count] = v;
      group.limits[count] = s.limits[v];
      group.visible[count] = s.visible[v];
      group.scores[count] = s.window.scores + count * kMostChunkKeys * kLanes;
      if (group.keys < s.limits[v]) group.keys = s.limits[v];
      ++count;
    }
    if (count == 1) attend_group<Kind, 1>(s, group, progress);
    if (count == 2) attend_group<Kind, 2>(s, group, progress);
    if constexpr (kTogether<Kind> >= 3) {
      if (count == 3) attend_group<Kind, 3>(s, group, progress);
    }
    if constexpr (kTogether<Kind> >= 4) {
      if (count == 4) attend_group<Kind, 4>(s, group, progress);
    }
  }
}

/// Packs a chunk once for all windows.
template <class T>
void pack(const PackedChunk<T>& c) {
#ifdef PARITY_LEVEL_amx_bf16
  if constexpr (WordsOf<T>::Kind::kStepsTogether > 1) {
    if (keys_in_tiles(c)) pack_key_tiles(c);
  }
#endif
  if (!keys_in_tiles(c) && !keys_in_place(c)) pack_keys(c);
  pack_values(c);
  *c.special = any_special(c);
}

}  // namespace

void attention_pack_f32(const PackedChunk<float>& args) { pack(args); }
void attention_pack_bf16(const PackedChunk<BFloat16>& args) { pack(args); }
void attention_open_f32(const AttentionWindow<float>& args) { open_window(args); }
void attention_open_bf16(const AttentionWindow<BFloat16>& args) { open_window(args); }
void attention_step_f32(const AttentionStep<float>& args) { step(args); }
void attention_step_bf16(const AttentionStep<BFloat16>& args) { step(args); }
void attention_close_f32(const AttentionWindow<float>& args) { close_window(args); }
void attention_close_bf16(const AttentionWindow<BFloat16>& args) { close_window(args); }

}  // namespace parity::cpu::PARITY_LEVEL

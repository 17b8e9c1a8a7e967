// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Index scores of few queries: keys are read once for four queries, with channels in lanes. Also the optional scores.
#include "optimized/cpu/index/index_tiles.hpp"
#include "optimized/cpu/simd/dots.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

constexpr float kNothing = -__builtin_inff();

using Whole = int32_t __attribute__((vector_size(4 * kLanes)));

/// Up to four queries: row i is token first + (from + i) % tokens of head (from + i) / tokens.
template <class T>
struct Few {
  const T* row[kFew];
  float* out[kFew];
  int64_t last[kFew];  // the last slot that the query sees, -1 for none
  int64_t count = 0, most = -1;
};

template <class T>
Few<T> few_of(const IndexTile<T>& a, int64_t from) {
  Few<T> few;
  const int64_t tokens = a.last - a.first;
  for (int64_t i = 0; i < kFew; ++i) {
    const bool there = from + i < a.heads * tokens;
    const int64_t row = there ? from + i : from;
    const int64_t x = row / tokens, s = a.first + row % tokens;
    few.row[i] = a.q + x * a.q_head + s * a.q_token;
    few.out[i] = a.out + (a.shared ? 0 : x * a.out_head) + s * a.out_token;
    few.last[i] = a.positions[s * a.position];
    if (few.last[i] >= a.slots) few.last[i] = a.slots - 1;
    if (few.last[i] > few.most) few.most = few.last[i];
    few.count += there ? 1 : 0;
  }
  return few;
}

template <class T>
Floats scan_block(const IndexTile<T>& a, const Few<T>& few, int64_t first, int64_t last) {
  Whole limit{};
  for (int i = 0; i < kLanes; ++i) limit[i] = static_cast<int32_t>(few.last[i % kFew]);
  Whole slot{};
  for (int i = 0; i < kLanes; ++i) slot[i] = static_cast<int32_t>(first + i / kFew);
  Floats best = all(kNothing);
  for (int64_t j = first; j < last; j += kMany) {
    const T* keys[kMany];
    for (int64_t m = 0; m < kMany; ++m) keys[m] = a.k + (j + m < last ? j + m : last - 1) * a.k_slot;
    Floats score = dots(few.row, keys, a.width);
    const auto end = static_cast<int32_t>(last);
    score = (slot <= limit) & (slot < end) ? score : all(kNothing);
    best = score == score ? larger(score, best) : score;  // NaN in `best` stays
    slot += kMany;
  }
  return best;
}

template <class T>
void index_few(const IndexTile<T>& a) {
  const int64_t rows = a.heads * (a.last - a.first);
  for (int64_t n = a.first_block; n < a.last_block; ++n) {
    for (int64_t from = 0; from < rows; from += kFew) {
      const Few<T> few = few_of(a, from);
      const int64_t first = n * a.block_size;
      const int64_t last = first + a.block_size < few.most + 1 ? first + a.block_size : few.most + 1;
      float best[kLanes];
      store(best, first < last ? scan_block(a, few, first, last) : all(kNothing));
      for (int64_t i = 0; i < few.count; ++i) {
        float value = best[i];
        for (int m = 1; m < kMany; ++m) value = amax(value, best[m * kFew + i]);
        if (a.scale != 1.0F) value *= a.scale;
        const bool joins = a.shared && from + i >= a.last - a.first;  // a later head joins the first one's maximum
        few.out[i][n] = joins ? amax(few.out[i][n], value) : value;
      }
    }
  }
}

template <class T>
void index_scores(const IndexScores<T>& a) {
  for (int64_t x = 0; x < a.heads; ++x) {
    for (int64_t s = a.first; s < a.last; ++s) {
      const T* row = a.q + x * a.q_head + s * a.q_token;
      const T* const rows[kFew] = {row, row, row, row};
      float* out = a.scores + x * a.score_head + s * a.score_token;
      for (int64_t j = 0; j < a.slots; j += kMany) {
        const T* keys[kMany];
        for (int64_t m = 0; m < kMany; ++m) keys[m] = a.k + (j + m < a.slots ? j + m : a.slots - 1) * a.k_slot;
        float score[kLanes];
        store(score, dots(rows, keys, a.width));
        for (int64_t m = 0; m < kMany && j + m < a.slots; ++m)
          out[j + m] = a.scale == 1.0F ? score[kFew * m] : score[kFew * m] * a.scale;
      }
    }
  }
}

}  // namespace

void index_few_f32(const IndexTile<float>& args) { index_few(args); }
void index_few_bf16(const IndexTile<BFloat16>& args) { index_few(args); }
void index_scores_f32(const IndexScores<float>& args) { index_scores(args); }
void index_scores_bf16(const IndexScores<BFloat16>& args) { index_scores(args); }

}  // namespace parity::cpu::PARITY_LEVEL

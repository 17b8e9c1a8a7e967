// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Opens and closes a window of attention: queries become lanes, and lanes of weighted sums become rows of the output.
#pragma once

#include "optimized/cpu/attention/attention_window.hpp"
#include "optimized/cpu/simd/attention_softmax.hpp"
#include "optimized/cpu/simd/transpose.hpp"

namespace parity::cpu::PARITY_LEVEL {

template <class T>
[[gnu::always_inline]] inline const T* query_row(const AttentionWindow<T>& w, int64_t lane) {
  const int64_t row = w.first + lane;
  return w.q + row / w.heads * w.q_token + row % w.heads * w.q_head;
}

/// Writes words [step, steps) of one lane; zeros if the lane has no row.
template <class T>
inline void spread_lane(const AttentionWindow<T>& w, int64_t lane, int64_t step, int64_t steps, float* words) {
  using Kind = typename WordsOf<T>::Kind;
  const T* q = query_row(w, lane);
  for (; step < steps; ++step) {
    T pair[Kind::kPerWord] = {};
    for (int64_t i = 0; i < Kind::kPerWord; ++i) {
      const int64_t d = step * Kind::kPerWord + i;
      if (lane < w.rows && d < w.width) pair[i] = q[d * w.q_channel];
    }
    if constexpr (Kind::kPerWord == 2) {
      std::memcpy(words + step * kLanes, pair, sizeof pair);
    } else {
      words[step * kLanes] = float_of(pair[0]);
    }
  }
}

/// Writes the queries of one vector, one in each lane.
template <class T>
inline void spread_queries(const AttentionWindow<T>& w, int64_t vector, int64_t steps) {
  const int64_t first = vector * kLanes;
  float* words = w.queries + first * steps;
  int64_t step = 0;
  using Kind = typename WordsOf<T>::Kind;
  if (sizeof(T) * Kind::kPerWord == sizeof(float) && w.q_channel == 1 && first + kLanes <= w.rows) {
    for (; (step + kLanes) * Kind::kPerWord <= w.width; step += kLanes) {
      Floats rows[kLanes];
      for (int64_t i = 0; i < kLanes; ++i)
        std::memcpy(&rows[i], query_row(w, first + i) + step * Kind::kPerWord, sizeof rows[i]);
      transpose(rows);
      for (int64_t i = 0; i < kLanes; ++i) store(words + (step + i) * kLanes, rows[i]);
    }
  }
  for (int64_t i = 0; i < kLanes; ++i) spread_lane(w, first + i, step, steps, words + i);
}

/// Writes the queries into lanes and starts an empty softmax.
template <class T>
inline void open_window(const AttentionWindow<T>& w) {
  const int64_t steps = steps_of<typename WordsOf<T>::Kind>(w.width);
  for (int64_t v = 0; v < w.vectors; ++v) {
    spread_queries(w, v, steps);
    store(w.reference + v * kLanes, all(kNothing));
    store(w.total + v * kLanes, Floats{});
  }
  for (int64_t i = 0; i < w.vectors * rounded_up(w.width, kPanel); ++i) store(w.mixed + i * kLanes, Floats{});
}

/// Applies `divide` to sixteen channels of a vector and turns them into rows.
template <class Divide>
[[gnu::always_inline]] inline void turn_panel(const float* mixed, const Divide& divide, float* values) {
  for (int64_t channel = 0; channel < kPanel; channel += kLanes) {
    Floats rows[kLanes];
    for (int64_t i = 0; i < kLanes; ++i) rows[i] = divide(load(mixed + (channel + i) * kLanes));
    transpose(rows);
    for (int64_t lane = 0; lane < kLanes; ++lane) store(values + lane * kPanel + channel, rows[lane]);
  }
}

/// Divides the weighted sums by the sums of weights and writes the rows of the output.
template <class T>
inline void close_window(const AttentionWindow<T>& w) {
  for (int64_t first = 0; first < w.rows; first += kLanes) {
    const int64_t lanes = w.rows - first < kLanes ? w.rows - first : kLanes;
    const Floats total = load(w.total + first), share = 1.0F / total;
    const auto divide = [&](Floats mixed) { return sizeof(T) < sizeof(float) ? mixed * share : mixed / total; };
    for (int64_t d = 0; d < w.width; d += kPanel) {
      float values[kLanes * kPanel];
      turn_panel(w.mixed + first * rounded_up(w.width, kPanel) + d * kLanes, divide, values);
      for (int64_t lane = 0; lane < lanes; ++lane) {
        const int64_t row = w.first + first + lane;
        T* out = w.out + row / w.heads * w.out_token + row % w.heads * w.out_head + d;
        for (int64_t i = 0; i < kPanel && d + i < w.width; i += kLanes) {
          const Floats some = load(values + lane * kPanel + i);
          if (d + i + kLanes <= w.width) {
            store(out + i, some);
          } else {
            store_some(out + i, some, w.width - d - i);
          }
        }
      }
    }
  }
}

}  // namespace parity::cpu::PARITY_LEVEL

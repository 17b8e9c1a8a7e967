// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One step of a softmax with a running maximum, for the rows of one vector.
#pragma once

#include "optimized/cpu/attention_window.hpp"
#include "optimized/cpu/simd/attention_words.hpp"

namespace parity::cpu::PARITY_LEVEL {

inline constexpr float kNothing = -__builtin_inff();

/// The largest score so far of each lane; what a lane does not see becomes -infinity.
inline Floats largest_score(float* scores, int64_t limit, const uint16_t* visible, Floats before) {
  Floats most[4] = {before, before, before, before};
  const auto look = [&](int64_t j, Floats& largest) {
    Floats score = load(scores + j * kLanes);
    if (visible != nullptr) {
      score = chosen(visible[j], score, all(kNothing));
      store(scores + j * kLanes, score);
    }
    largest = larger(score, largest);
  };
  int64_t j = 0;
  for (; j + 4 <= limit; j += 4) {
    for (int i = 0; i < 4; ++i) look(j + i, most[i]);
  }
  for (; j < limit; ++j) look(j, most[0]);
  return larger(larger(most[0], most[1]), larger(most[2], most[3]));
}

/// Products of queries and keys become weights, powers of two of `factor` > 0 times them, of `keys` slots; nothing from `limit`
/// on. Returns what earlier mixtures are multiplied by.
template <class Kind>
inline Floats soften(float* scores, int64_t limit, int64_t keys, float factor, const uint16_t* visible, float* largest,
                     float* total) {
  const Floats before = load(largest);
  const Floats now = largest_score(scores, limit, visible, before);
  store(largest, now);
  const Floats base = now == kNothing ? Floats{} : now;  // of nothing but -infinity
  const Floats scaled = base * factor, factors = all(factor);
  const Floats shrink = power_of_two((before - base) * factor);
  Floats sums[2] = {};
  constexpr int per = Kind::kPerWord;
  const auto weigh = [&](int64_t step, int64_t slots) {
    Floats powers[per] = {};
    for (int i = 0; i < slots; ++i)
      powers[i] = Kind::power(load(scores + (step * per + i) * kLanes), base, scaled, factors);
    const Floats word = Kind::weights(powers);
    store(scores + step * kLanes, word);
    sums[step % 2] = Kind::add_weights(word, sums[step % 2]);  // as rounded: a mean of equal values is that value
  };
  int64_t step = 0;
  for (; (step + 2) * per <= limit; step += 2) {
    weigh(step, per);
    weigh(step + 1, per);
  }
  for (; step * per < limit; ++step) weigh(step, limit - step * per < per ? limit - step * per : per);
  for (; step < steps_of<Kind>(keys); ++step) store(scores + step * kLanes, Floats{});
  store(total, load(total) * shrink + (sums[0] + sums[1]));
  return shrink;
}

}  // namespace parity::cpu::PARITY_LEVEL

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One step of a softmax with a running maximum, for the rows of one vector.
#pragma once

#include "optimized/cpu/attention/attention_window.hpp"
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

/// Weights are powers of two of scores against a reference: the largest score when it was taken. Until a score lies 2^kAhead
/// above it, it stays, so that mixtures are rarely multiplied anew; sums of weights are far from any limit then.
inline constexpr float kAhead = 8.0F;

/// What the weights of a vector are taken with.
template <class Kind>
struct Weighing {
  float* scores;  // then weights
  Floats base, scaled, factors;

  /// Adds the weights of a step's slots to `sum`, as rounded: a mean of equal values is that value.
  [[gnu::always_inline]] Floats operator()(int64_t step, int64_t slots, Floats sum) const {
    constexpr int per = Kind::kPerWord;
    Floats powers[per] = {};
    for (int i = 0; i < slots; ++i)
      powers[i] = Kind::power(load(scores + (step * per + i) * kLanes), base, scaled, factors);
    const Floats word = Kind::weights(powers);
    store(scores + step * kLanes, word);
    return Kind::add_weights(word, sum);
  }
};

/// Products of queries and keys of one vector become weights, powers of two of `factor` > 0 times them; in pieces, so that
/// other work can go between.
template <class Kind>
class Softening : Weighing<Kind> {
  using Weigh = Weighing<Kind>;
  using Weigh::scores, Weigh::base, Weigh::scaled, Weigh::factors;

 public:
  Softening() = default;
  /// Of the slots below `limit`.
  Softening(float* products, int64_t limit, float factor, const uint16_t* visible, float* reference) : limit_(limit) {
    const Floats before = load(reference);
    const Floats most = largest_score(products, limit, visible, before);
    const Floats now = (most - before) * factor > kAhead ? most : before;
    store(reference, now);
    scores = products;
    base = now == kNothing ? Floats{} : now;  // of nothing but -infinity
    scaled = base * factor;
    factors = all(factor);
    shrink_ = power_of_two((before - base) * factor);
  }

  /// Weights of an even number of steps more, all of whose slots lie below the limit.
  template <int steps>
  [[gnu::always_inline]] void take() {
    const Weigh weigh = *this;  // in registers: what is stored may lie anywhere for all that the compiler knows
    const int64_t first = step_;
    Floats sums[2] = {sums_[0], sums_[1]};
#pragma GCC unroll 4
    for (int i = 0; i < steps; ++i) sums[i % 2] = weigh(first + i, Kind::kPerWord, sums[i % 2]);
    sums_[0] = sums[0];
    sums_[1] = sums[1];
    step_ = first + steps;
  }
  template <int steps>
  [[nodiscard]] bool has() const {
    return (step_ + steps) * Kind::kPerWord <= limit_;
  }

  /// All that are left, of `keys` slots; nothing from the limit on.
  [[gnu::always_inline]] void rest(int64_t keys, float* total) {
    constexpr int per = Kind::kPerWord;
    const Weigh weigh = *this;
    Floats sums[2] = {sums_[0], sums_[1]};
    int64_t step = step_;
    for (; (step + 2) * per <= limit_; step += 2) {
      sums[0] = weigh(step, per, sums[0]);
      sums[1] = weigh(step + 1, per, sums[1]);
    }
    for (int i = 0; step * per < limit_; ++step, i = 1 - i)
      sums[i] = weigh(step, limit_ - step * per < per ? limit_ - step * per : per, sums[i]);
    for (; step < steps_of<Kind>(keys); ++step) store(scores + step * kLanes, Floats{});
    store(total, load(total) * shrink_ + (sums[0] + sums[1]));
  }

  /// What earlier mixtures are multiplied by.
  [[nodiscard]] Floats shrink() const { return shrink_; }

 private:
  int64_t limit_ = 0, step_ = 0;  // steps taken, an even number
  Floats shrink_{};
  Floats sums_[2] = {};
};

}  // namespace parity::cpu::PARITY_LEVEL

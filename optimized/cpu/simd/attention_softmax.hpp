// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A softmax with a running maximum over one chunk, for the rows of one vector.
#pragma once

#include "optimized/cpu/attention/attention_window.hpp"
#include "optimized/cpu/simd/attention_words.hpp"

namespace parity::cpu::PARITY_LEVEL {

inline constexpr float kNothing = -__builtin_inff();

/// Returns each lane's largest score so far, and sets scores that a lane does not see to -infinity.
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

/// A weight is 2 to the power of a scaled score minus a reference, an earlier largest score. The reference moves only
/// when a weight would exceed 2^kAhead, so weighted sums are rarely rescaled and sums of weights do not overflow.
inline constexpr float kAhead = 8.0F;

/// Turns the scores of a vector into weights.
template <class Kind>
struct Weighing {
  float* scores;  // replaced by weights
  Floats base, scaled, factors;

  /// Adds the rounded weights of a word of slots to `sum`, so that a mean of equal values is that value.
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

/// Turns a vector's products of queries and keys into weights: 2 to the power of `factor` * (product - reference), with
/// `factor` > 0. Works in pieces, between which other work can be done.
template <class Kind>
class Softening : Weighing<Kind> {
  using Weigh = Weighing<Kind>;
  using Weigh::scores, Weigh::base, Weigh::scaled, Weigh::factors;

 public:
  Softening() = default;
  /// Starts with the slots below `limit`.
  Softening(float* products, int64_t limit, float factor, const uint16_t* visible, float* reference) : limit_(limit) {
    const Floats before = load(reference);
    const Floats most = largest_score(products, limit, visible, before);
    const Floats now = (most - before) * factor > kAhead ? most : before;
    store(reference, now);
    scores = products;
    base = now == kNothing ? Floats{} : now;  // zero if all scores are -infinity
    scaled = base * factor;
    factors = all(factor);
    shrink_ = power_of_two((before - base) * factor);
  }

  /// Computes the weights of `steps` more words, an even number, all of whose slots lie below the limit.
  template <int steps>
  [[gnu::always_inline]] void take() {
    const Weigh weigh = *this;  // a copy in registers, since stores may alias members
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

  /// Computes the remaining weights of `keys` slots; slots from the limit on get zero.
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

  /// Returns the factor by which earlier weighted sums are multiplied.
  [[nodiscard]] Floats shrink() const { return shrink_; }

 private:
  int64_t limit_ = 0, step_ = 0;  // words done, an even number
  Floats shrink_{};
  Floats sums_[2] = {};
};

}  // namespace parity::cpu::PARITY_LEVEL

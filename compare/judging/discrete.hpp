// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Discrete outputs. The error of the scores decides which ids must, may or must not be chosen.
#pragma once

#include <string>
#include <vector>

#include "compare/judging/record.hpp"

namespace parity::compare {

/// A choice of the k largest scores, where each score is known up to its delta.
struct Choice {
  std::vector<double> score;
  std::vector<double> delta;
  int64_t k = 0;

  enum class Verdict : uint8_t { must, may, must_not };
  /// Returns each id's verdict. must: fewer than k other ids can reach it. must_not: at least k surely exceed it.
  [[nodiscard]] std::vector<Verdict> verdicts() const;
  /// Returns an upper bound of the probability that a correct implementation chooses another set. It sums over pairs of
  /// a chosen and an unchosen id, and is never more than if all contenders were tied. Errors are assumed symmetric and
  /// unimodal within delta; evenly spread ones are the worst.
  [[nodiscard]] double flip_chance() const;
};

/// The result of judging the recorded ids of one row. The order of ids matters only in block lists.
struct RowVerdict {
  bool violated = false;
  bool flipped = false;  // another set than the exact one, but allowed by the errors
  std::string reason;
};

/// Judges a set of k distinct ids in [0, n), in any order.
[[nodiscard]] RowVerdict judge_set(const Choice& choice, const std::vector<int64_t>& ids);
/// Judges ids in descending score (within delta), then -1. Exactly min(k, scores above -inf) ids are required.
[[nodiscard]] RowVerdict judge_list(const Choice& choice, const std::vector<int64_t>& ids);

/// Judges a list like judge_list, but accepts its ids in any order. Kernels that read blocks as a set write such lists.
[[nodiscard]] RowVerdict judge_list_of_any_order(const Choice& choice, const std::vector<int64_t>& ids);

/// Returns the pair of ids with the smallest margin in which a flipped row differs from the exact choice.
[[nodiscard]] Flip flip_of(const Choice& choice, const std::vector<int64_t>& ids);

/// Adds the verdict of one row to the totals of the tap.
void tally(const Choice& choice, const RowVerdict& verdict, Discrete& discrete);
/// Probability that a tap of a correct implementation exceeds the limit most_flips.
constexpr double kFlipAlarm = 1e-5;
/// Returns the most flips that are accepted: Chernoff's bound for independent rows with `expected` flips in total.
[[nodiscard]] double most_flips(const Discrete& discrete, double alarm = kFlipAlarm);

}  // namespace parity::compare

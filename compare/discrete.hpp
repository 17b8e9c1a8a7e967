// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Discrete outputs: which ids had to be chosen, which may be, which must not, given the error of the scores.
#pragma once

#include <string>
#include <vector>

#include "compare/record.hpp"

namespace parity::compare {

/// One choice of the k largest among scores that are known up to delta.
struct Choice {
  std::vector<double> score;
  std::vector<double> delta;
  int64_t k = 0;

  enum class Verdict : uint8_t { must, may, must_not };
  /// must: fewer than k others can reach it; must_not: at least k others surely exceed it.
  [[nodiscard]] std::vector<Verdict> verdicts() const;
  /// At most this probable is that a correct implementation chooses another set, if its errors are symmetric and unimodal
  /// within delta (of these, evenly spread ones are the worst): the sum over pairs of which one is chosen and one is not, and
  /// never more than if all contenders were tied.
  [[nodiscard]] double flip_chance() const;
};

/// The contract of one row; ids as recorded. Order matters only for block lists.
struct RowVerdict {
  bool violated = false;
  bool flipped = false;  // legitimately another set than the exact one
  std::string reason;
};

/// A set of k distinct ids in [0, n), any order.
[[nodiscard]] RowVerdict judge_set(const Choice& choice, const std::vector<int64_t>& ids);
/// Ids in descending score (within delta), then -1 to the end; exactly min(k, scores above -inf) ids.
[[nodiscard]] RowVerdict judge_list(const Choice& choice, const std::vector<int64_t>& ids);

/// The same ids in any order, then -1 to the end: what is written for kernels that read blocks as a set.
[[nodiscard]] RowVerdict judge_list_of_any_order(const Choice& choice, const std::vector<int64_t>& ids);

/// Adds a row to the tally of the tap.
void tally(const Choice& choice, const RowVerdict& verdict, Discrete& discrete);
/// A tap of a correct implementation has more flips than allowed with no more than this probability.
constexpr double kFlipAlarm = 1e-5;
/// Most flips that the margins let one expect: Chernoff's bound for independent rows, sum of chances `expected`.
[[nodiscard]] double most_flips(const Discrete& discrete, double alarm = kFlipAlarm);

}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/discrete.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "core/score_order.hpp"

namespace parity::compare {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();  // score of a block without visible slots

/// Whether id a may score at least as much as id b. A NaN scores above any number and equal to another NaN.
bool reaches(const Choice& choice, size_t a, size_t b) {
  return !scores_more(choice.score[b] - choice.delta[b], choice.score[a] + choice.delta[a]);
}

/// Whether id a scores more than id b under all errors within delta.
bool exceeds(const Choice& choice, size_t a, size_t b) {
  return scores_more(choice.score[a] - choice.delta[a], choice.score[b] + choice.delta[b]);
}

int64_t visible(const Choice& choice) {
  return std::count_if(choice.score.begin(), choice.score.end(), [](double score) { return score != kNothing; });
}

/// Returns the exact choice: the k largest scores; at equal scores the smaller id.
std::set<int64_t> exact_set(const Choice& choice) {
  std::vector<int64_t> order(choice.score.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), ScoreOrder{choice.score});
  return {order.begin(), order.begin() + std::min<int64_t>(choice.k, static_cast<int64_t>(order.size()))};
}

std::string broken_set(const Choice& choice, const std::vector<int64_t>& ids) {
  const auto n = static_cast<int64_t>(choice.score.size());
  std::set<int64_t> seen;
  for (const int64_t id : ids) {
    if (id < 0 || id >= n) return fmt::format("id {} is outside 0..{}", id, n - 1);
    if (!seen.insert(id).second) return fmt::format("id {} is chosen twice", id);
  }
  const auto verdicts = choice.verdicts();
  for (int64_t id = 0; id < n; ++id) {
    const auto verdict = verdicts[static_cast<size_t>(id)];
    const double score = choice.score[static_cast<size_t>(id)];
    if (verdict == Choice::Verdict::must && !seen.contains(id))
      return fmt::format("id {} (score {:.7g}) must be chosen", id, score);
    if (verdict == Choice::Verdict::must_not && seen.contains(id))
      return fmt::format("id {} (score {:.7g}) must not be chosen", id, score);
  }
  return {};
}

/// Describes the first pair of ids in a wrong order, or returns "". Neighbours are not enough: small errors add up.
std::string misplaced(const Choice& choice, const std::vector<int64_t>& list) {
  for (size_t t = 0; t < list.size(); ++t) {
    for (size_t later = t + 1; later < list.size(); ++later) {
      const auto a = static_cast<size_t>(list[t]);
      const auto b = static_cast<size_t>(list[later]);
      if (reaches(choice, a, b)) continue;
      return fmt::format("id {} is listed before {}, which scores higher", list[t], list[later]);
    }
  }
  return {};
}

/// Returns the probability that id `out` gets a higher score than id `in`, which leads or ties.
double reversal(const Choice& choice, size_t in, size_t out) {
  const double a = choice.score[in], b = choice.score[out];
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0.5;
  const double gap = a - b;
  const double reach = choice.delta[in] + choice.delta[out];
  return gap < reach ? 0.5 * (1.0 - gap / reach) : 0.0;
}

/// Returns the probability that a choice of m of m + n tied ids is not the given one: 1 - 1 / binomial(m + n, m).
double tied_chance(size_t m, size_t n) {
  double one_of = 1.0;
  for (size_t i = 1; i <= m; ++i) one_of *= static_cast<double>(n + i) / static_cast<double>(i);
  return 1.0 - 1.0 / one_of;
}

RowVerdict verdict_of(const Choice& choice, const std::vector<int64_t>& ids, std::string reason) {
  RowVerdict verdict;
  verdict.violated = !reason.empty();
  verdict.reason = std::move(reason);
  verdict.flipped = !verdict.violated && std::set<int64_t>(ids.begin(), ids.end()) != exact_set(choice);
  return verdict;
}

RowVerdict verdict_of_list(const Choice& choice, const std::vector<int64_t>& ids, bool ordered) {
  Choice seen = choice;
  seen.k = std::min<int64_t>(choice.k, visible(choice));
  const auto end = std::find(ids.begin(), ids.end(), -1);
  const std::vector<int64_t> list(ids.begin(), end);
  if (std::any_of(end, ids.end(), [](int64_t id) { return id != -1; }))
    return verdict_of(seen, list, "an id follows -1, which ends the list");
  if (static_cast<int64_t>(list.size()) != seen.k) {
    return verdict_of(seen, list, fmt::format("{} ids are listed instead of {} blocks", list.size(), seen.k));
  }
  std::string reason = broken_set(seen, list);
  if (reason.empty() && ordered) reason = misplaced(choice, list);
  return verdict_of(seen, list, std::move(reason));
}

}  // namespace

std::vector<Choice::Verdict> Choice::verdicts() const {
  const auto kept = std::min<int64_t>(k, visible(*this));
  std::vector<Verdict> result;
  for (size_t i = 0; i < score.size(); ++i) {
    if (score[i] == kNothing) {
      result.push_back(Verdict::must_not);
      continue;
    }
    int64_t reach = 0;
    int64_t exceed = 0;
    for (size_t j = 0; j < score.size(); ++j) {
      if (j == i) continue;
      if (reaches(*this, j, i)) ++reach;
      if (exceeds(*this, j, i)) ++exceed;
    }
    result.push_back(reach < kept ? Verdict::must : exceed >= kept ? Verdict::must_not : Verdict::may);
  }
  return result;
}

double Choice::flip_chance() const {
  const auto kept = std::min<int64_t>(k, visible(*this));
  if (kept <= 0 || kept >= visible(*this)) return 0.0;
  const std::set<int64_t> chosen = exact_set({score, delta, kept});
  double reversed = 0.0;  // expected number of reversed pairs
  std::set<size_t> inside, outside;
  for (const int64_t id : chosen) {
    const auto in = static_cast<size_t>(id);
    for (size_t out = 0; out < score.size(); ++out) {
      if (chosen.contains(static_cast<int64_t>(out))) continue;
      const double chance = reversal(*this, in, out);
      if (chance == 0.0) continue;
      reversed += chance;
      inside.insert(in);
      outside.insert(out);
    }
  }
  return std::min(reversed, tied_chance(inside.size(), outside.size()));
}

RowVerdict judge_set(const Choice& choice, const std::vector<int64_t>& ids) {
  if (static_cast<int64_t>(ids.size()) != choice.k) {
    return verdict_of(choice, ids, fmt::format("{} ids are listed instead of {}", ids.size(), choice.k));
  }
  return verdict_of(choice, ids, broken_set(choice, ids));
}

RowVerdict judge_list(const Choice& choice, const std::vector<int64_t>& ids) {
  return verdict_of_list(choice, ids, true);
}

RowVerdict judge_list_of_any_order(const Choice& choice, const std::vector<int64_t>& ids) {
  return verdict_of_list(choice, ids, false);
}

Flip flip_of(const Choice& choice, const std::vector<int64_t>& ids) {
  Choice seen = choice;
  seen.k = std::min<int64_t>(choice.k, visible(choice));
  const std::set<int64_t> exact = exact_set(seen), chosen(ids.begin(), ids.end());
  Flip nearest;
  nearest.gap = std::numeric_limits<double>::infinity();
  for (const int64_t in : chosen) {
    if (in < 0 || exact.contains(in)) continue;
    for (const int64_t out : exact) {
      if (chosen.contains(out)) continue;
      const auto a = static_cast<size_t>(out), b = static_cast<size_t>(in);
      const double gap = choice.score[a] - choice.score[b];
      if (gap < nearest.gap) nearest = {0, 0, in, out, gap, choice.delta[a] + choice.delta[b]};
    }
  }
  return nearest;
}

void tally(const Choice& choice, const RowVerdict& verdict, Discrete& discrete) {
  ++discrete.rows;
  for (const auto v : choice.verdicts()) {
    if (v == Choice::Verdict::must) ++discrete.must;
    if (v == Choice::Verdict::may) ++discrete.may;
    if (v == Choice::Verdict::must_not) ++discrete.must_not;
  }
  if (verdict.violated) ++discrete.violations;
  if (verdict.flipped) ++discrete.flips;
  discrete.expected += choice.flip_chance();
  for (const double delta : choice.delta) discrete.delta = std::max(discrete.delta, delta);
}

double most_flips(const Discrete& discrete, double alarm) {
  const double mean = discrete.expected;
  if (mean <= 0.0) return 0.0;
  double more = std::floor(mean) + 1.0;  // smallest number of flips that is too many
  while (more - mean - more * std::log(more / mean) > std::log(alarm)) more += 1.0;
  return more - 1.0;
}

}  // namespace parity::compare

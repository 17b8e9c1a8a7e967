// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Random scores: no correct choice fails, no wrong one passes, and false alarms are as rare as stated.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "compare/judging/discrete.hpp"
#include "core/random.hpp"

namespace parity::compare {
namespace {

using Ids = std::vector<int64_t>;
constexpr double kUnseen = -std::numeric_limits<double>::infinity();

/// A sequence of random numbers.
class Stream {
 public:
  Stream(uint64_t seed, const std::string& what) : random_(seed, what) {}
  int64_t below(int64_t n) { return static_cast<int64_t>(random_.below(next_++, static_cast<uint64_t>(n))); }
  double within(double reach) { return reach * (static_cast<double>(below(1 << 30)) / (1 << 29) - 1.0); }

 private:
  Random random_;
  uint64_t next_ = 0;
};

/// Draws a choice of up to 32 ids with individual errors, some of them tied. If `list`, the last few are invisible.
Choice drawn(Stream& stream, bool list) {
  Choice choice;
  const int64_t n = 2 + stream.below(31);
  const double delta = std::pow(10.0, -static_cast<double>(stream.below(4)));
  for (int64_t i = 0; i < n; ++i) {
    const bool tied = i > 0 && stream.below(8) == 0;
    choice.score.push_back(tied ? choice.score.back() : stream.within(1.0));
    choice.delta.push_back(delta * (0.5 + 0.5 * std::abs(stream.within(1.0))));
  }
  const int64_t invisible = list ? stream.below(n) : 0;
  for (int64_t i = n - invisible; i < n; ++i) {
    choice.score[static_cast<size_t>(i)] = kUnseen;
    choice.delta[static_cast<size_t>(i)] = 0.0;
  }
  choice.k = 1 + stream.below(list ? n + 2 : n);  // a list may have k above the number of ids
  return choice;
}

/// Returns the ids that an implementation with other errors within delta chooses, followed by -1 if `list`.
Ids chosen(const Choice& choice, Stream& stream, bool list) {
  std::vector<double> seen(choice.score);
  for (size_t i = 0; i < seen.size(); ++i) seen[i] += choice.delta[i] == 0.0 ? 0.0 : stream.within(choice.delta[i]);
  Ids ids(seen.size());
  std::iota(ids.begin(), ids.end(), 0);
  std::sort(ids.begin(), ids.end(), [&](int64_t a, int64_t b) {
    return std::pair(-seen[static_cast<size_t>(a)], a) < std::pair(-seen[static_cast<size_t>(b)], b);
  });
  if (list) std::erase_if(ids, [&](int64_t id) { return seen[static_cast<size_t>(id)] == kUnseen; });
  ids.resize(static_cast<size_t>(std::min<int64_t>(choice.k, static_cast<int64_t>(ids.size()))));
  if (list) ids.resize(static_cast<size_t>(choice.k), -1);
  return ids;
}

TEST(Contract, NeverAccusesAChoiceWithinTheScoreError) {
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    Stream stream(seed, "within");
    const bool list = seed % 2 == 1;
    const Choice choice = drawn(stream, list);
    const Ids ids = chosen(choice, stream, list);
    const RowVerdict verdict = list ? judge_list(choice, ids) : judge_set(choice, ids);

    ASSERT_FALSE(verdict.violated) << seed << ": " << verdict.reason;
    if (verdict.flipped) {
      EXPECT_GT(choice.flip_chance(), 0.0) << seed;
    }
  }
}

/// Returns the number of ids that score more than `id`: surely if `surely`, else possibly.
int64_t ahead(const Choice& choice, int64_t id, bool surely) {
  const auto i = static_cast<size_t>(id);
  int64_t count = 0;
  for (size_t j = 0; j < choice.score.size(); ++j) {
    const double reach = choice.delta[i] + choice.delta[j];
    const double lead = choice.score[j] - choice.score[i];
    if (j != i && choice.score[j] != kUnseen && (surely ? lead > reach : lead >= -reach)) ++count;
  }
  return count;
}

TEST(Contract, RefusesIdsOutsideTheScoreError) {
  int strangers = 0, lost = 0;
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    Stream stream(seed, "outside");
    const bool list = seed % 2 == 1;
    const Choice choice = drawn(stream, list);
    const Ids ids = chosen(choice, stream, list);
    const auto length = std::find(ids.begin(), ids.end(), -1) - ids.begin();
    const auto at = static_cast<size_t>(stream.below(std::max<int64_t>(length, 1)));
    const int64_t other = stream.below(static_cast<int64_t>(choice.score.size()));
    if (length == 0 || std::find(ids.begin(), ids.end(), other) != ids.end()) continue;
    Ids changed(ids);
    changed[at] = other;
    const RowVerdict verdict = list ? judge_list(choice, changed) : judge_set(choice, changed);
    const bool stranger = ahead(choice, other, true) >= length, missed = ahead(choice, ids[at], false) < length;
    strangers += stranger ? 1 : 0;
    lost += missed ? 1 : 0;
    if (stranger || missed) {
      EXPECT_TRUE(verdict.violated) << seed;
    }
  }
  EXPECT_GT(strangers, 500);
  EXPECT_GT(lost, 500);
}

TEST(Contract, RefusesDuplicatesGapsAndOtherLengths) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Stream stream(seed, "shape");
    const bool list = seed % 2 == 1;
    const Choice choice = drawn(stream, list);
    const Ids ids = chosen(choice, stream, list);
    const auto judge = [&](const Ids& changed) {
      return (list ? judge_list(choice, changed) : judge_set(choice, changed)).violated;
    };
    const auto ends = std::find(ids.begin(), ids.end(), -1);
    const auto length = ends - ids.begin();
    if (length == 0) continue;
    Ids shorter(ids), stranger(ids), twice(ids), gap(ids);
    shorter[static_cast<size_t>(length - 1)] = -1;
    stranger[0] = static_cast<int64_t>(choice.score.size());
    EXPECT_TRUE(judge(shorter)) << seed;
    EXPECT_TRUE(judge(stranger)) << seed;
    if (length < 2) continue;
    twice[0] = twice[1];
    gap[0] = -1;
    EXPECT_TRUE(judge(twice)) << seed;
    EXPECT_TRUE(judge(gap)) << seed;
    if (!list) {
      EXPECT_TRUE(judge(Ids(ids.begin(), ids.end() - 1))) << seed;
    }
    const auto first = static_cast<size_t>(ids[0]), last = static_cast<size_t>(ids[static_cast<size_t>(length - 1)]);
    const double apart = choice.score[first] - choice.score[last];
    if (list && apart > choice.delta[first] + choice.delta[last]) {
      Ids disordered(ids);
      std::swap(disordered[0], disordered[static_cast<size_t>(length - 1)]);
      EXPECT_TRUE(judge_list(choice, disordered).violated) << seed;
    }
  }
}

/// Whether `rows` choices of 4 out of 16, with errors over a share `spread` of delta, have too many flips.
bool alarmed(uint64_t seed, int64_t rows, double spread, double alarm) {
  Stream stream(seed, "alarm");
  Discrete discrete;
  for (int64_t r = 0; r < rows; ++r) {
    Choice choice;
    for (int64_t i = 0; i < 16; ++i) {
      choice.score.push_back(stream.within(1.0));
      choice.delta.push_back(spread);
    }
    choice.k = 4;
    tally(choice, judge_set(choice, chosen(choice, stream, false)), discrete);
  }
  EXPECT_EQ(discrete.violations, 0);
  return static_cast<double>(discrete.flips) > most_flips(discrete, alarm);
}

TEST(Contract, AlarmsNoMoreOftenThanStated) {
  constexpr int64_t kDraws = 1000;
  for (const double spread : {0.001, 0.02, 0.2}) {
    for (const double alarm : {0.2, 0.05, 1e-5}) {
      int64_t alarms = 0;
      for (uint64_t seed = 0; seed < kDraws; ++seed) alarms += alarmed(seed, 40, spread, alarm) ? 1 : 0;

      EXPECT_LE(static_cast<double>(alarms), alarm * kDraws) << spread << " " << alarm;
    }
  }
}

TEST(Contract, AlarmsWhenEveryRowThatMayFlipDoes) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Stream stream(seed, "adversary");
    Discrete discrete;
    for (int64_t r = 0; r < 200; ++r) {
      const double gap = 0.5 + 0.4 * std::abs(stream.within(1.0));  // times delta, both sides: a chance of 0.05 to 0.25
      const Choice choice{{1.0, 1.0 - gap, -5.0}, {0.5, 0.5, 0.5}, 1};
      tally(choice, judge_set(choice, {1}), discrete);
    }
    EXPECT_EQ(discrete.violations, 0);
    EXPECT_EQ(discrete.flips, 200);
    EXPECT_GT(200.0, most_flips(discrete));
  }
}

}  // namespace
}  // namespace parity::compare

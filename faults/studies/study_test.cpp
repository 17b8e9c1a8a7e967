// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/studies/study.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "golden/files/temporary_folder.hpp"
#include "replay/testing/golden_copy.hpp"

namespace parity::faults {
namespace {

constexpr const char* kSmallest = "golden/data/m3-text-only-aux";
constexpr const char* kComplete = "golden/data/m3-text-f32";

const Target& target(const Fixture& fixture, const std::string& tap) {
  const auto& all = fixture.targets();
  return *std::find_if(all.begin(), all.end(), [&](const Target& t) { return t.tap == tap; });
}

TEST(Trial, UnalteredCopyIsGreen) {
  const compare::GoldenReport report = judge_undamaged(Fixture(kSmallest));

  EXPECT_EQ(report.verdict, compare::Status::pass);
  EXPECT_FALSE(report.first_divergence.has_value());
}

TEST(Trial, DamagedTapIsFlaggedAndNamed) {
  const Fixture fixture(kSmallest);
  const std::string tap = "steps/000/text/layers/01/moe/router/logits";

  const Trial trial = run_trial(fixture, target(fixture, tap), find_corruption_kind("row-negated"), 3);

  EXPECT_EQ(trial.verdict, compare::Status::fail);
  EXPECT_EQ(trial.named, tap);
  EXPECT_EQ(trial.named_component, "linear");
  EXPECT_EQ(trial.distance, 0);
  EXPECT_GT(trial.signal, 1.0);
}

TEST(Trial, IsTheSameForTheSameSeed) {
  const Fixture fixture(kSmallest);
  const Target& tap = target(fixture, "steps/000/text/layers/00/moe/router/indices");
  const CorruptionKind& kind = find_corruption_kind("id-off-by-one");

  const Trial first = run_trial(fixture, tap, kind, 11);
  const Trial second = run_trial(fixture, tap, kind, 11);

  EXPECT_EQ(first.effect.relative, second.effect.relative);
  EXPECT_EQ(first.reason, second.reason);
}

TEST(Study, FlagsAndNamesEveryCorruption) {
  StudyOptions options;
  options.goldens = {kSmallest, kComplete};
  options.corruptions = 24;

  const Study study = run_study(options);

  EXPECT_EQ(study.trials.size(), 24U);
  EXPECT_EQ(study.killed(), 24);
  for (const Trial& trial : study.trials) {
    EXPECT_TRUE(trial.flagged()) << trial.corruption.kind << " " << trial.corruption.tap << " "
                                 << trial.corruption.seed;
    EXPECT_EQ(trial.named, trial.corruption.tap) << trial.corruption.kind << " " << trial.corruption.seed;
  }
  EXPECT_TRUE(study.holds());
}

TEST(Study, DoesNotDependOnTheNumberOfThreads) {
  StudyOptions options;
  options.goldens = {kSmallest};
  options.corruptions = 6;
  options.threads = 1;
  const Study alone = run_study(options);
  options.threads = 3;

  const Study together = run_study(options);

  ASSERT_EQ(together.trials.size(), alone.trials.size());
  for (size_t i = 0; i < alone.trials.size(); ++i) {
    EXPECT_EQ(together.trials[i].corruption.tap, alone.trials[i].corruption.tap);
    EXPECT_EQ(together.trials[i].corruption.seed, alone.trials[i].corruption.seed);
    EXPECT_EQ(together.trials[i].effect.relative, alone.trials[i].effect.relative);
  }
  EXPECT_EQ(together.redrawn, alone.redrawn);
}

TEST(Study, GoldenThatFailsUndamagedIsAFalseAlarm) {
  const golden::Golden original = golden::Golden::open(kSmallest);
  const std::string tap = "steps/000/text/lm_head/out";
  const golden::TemporaryFolder scratch;
  replay::tests::Changes changes;
  changes.values[tap] = Tensor(DType::f32, original.activations().at(tap).shape);
  const auto broken = replay::tests::copy_golden(kSmallest, scratch / "broken", changes);
  StudyOptions options;
  options.goldens = {broken, kSmallest};
  options.corruptions = 2;

  const Study study = run_study(options);

  ASSERT_EQ(study.false_alarms.size(), 1U);
  EXPECT_NE(study.false_alarms.front().find(tap), std::string::npos);
  EXPECT_FALSE(study.holds());
  options.goldens = {broken};
  EXPECT_THROW((void)run_study(options), Error);  // no golden is left to damage
}

TEST(Study, TalliesEveryKindAndHoldsOnlyWhenTheRatesAreReached) {
  Study study;
  EXPECT_FALSE(study.holds());  // no trial ran
  for (int i = 0; i < 200; ++i) {
    Trial trial;
    trial.corruption = {"golden", "tap", "one-nan", 0};
    trial.verdict = compare::Status::fail;
    trial.named = "tap";
    study.trials.push_back(trial);
  }
  EXPECT_TRUE(study.holds());

  study.trials[0].verdict = compare::Status::pass;
  study.trials[1].named = "another tap";
  EXPECT_TRUE(study.holds());  // both rates are 99.5 %
  for (size_t i = 2; i < 4; ++i) study.trials[i].named = "another tap";

  EXPECT_EQ(study.killed(), 199);
  EXPECT_EQ(study.named(), 196);
  EXPECT_FALSE(study.holds());
  const auto tallies = study.by_kind();
  EXPECT_EQ(tallies.size(), corruption_kinds().size());
  const auto nan = std::find_if(tallies.begin(), tallies.end(), [](const KindTally& t) { return t.kind == "one-nan"; });
  EXPECT_EQ(nan->runs, 200);
  EXPECT_EQ(nan->killed, 199);
  EXPECT_EQ(nan->named, 196);
}

}  // namespace
}  // namespace parity::faults

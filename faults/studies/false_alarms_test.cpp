// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/studies/false_alarms.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/drawn/case.hpp"

namespace parity::faults {
namespace {

using ::testing::Each;
using ::testing::Ge;

std::string list_of(const std::vector<Alarm>& alarms) {
  std::string all;
  for (const Alarm& alarm : alarms)
    all += fmt::format("{} seed {} {}: {}\n", alarm.text, alarm.seed, alarm.tap, alarm.reason);
  return all;
}

TEST(FalseAlarms, CorrectKernelsOfEveryComponentAndTypeRaiseNone) {
  FalseAlarmOptions options;
  options.runs = 9 * 3 * static_cast<int64_t>(cases::drawn_cases().size());  // nine of each type at least
  options.use = cases::SeedUse::calibration;

  const FalseAlarmStudy study = run_false_alarms(options);

  EXPECT_TRUE(study.holds()) << list_of(study.alarms);
  EXPECT_GE(study.headroom.size(), 20U * 3U);
  for (const Headroom& cell : study.headroom) EXPECT_GE(cell.runs, 9) << cell.component;
}

TEST(FalseAlarms, KernelsThatAccumulateInBf16RaiseThem) {
  FalseAlarmOptions options;
  options.runs = 240;
  options.accumulator = DType::bf16;

  const FalseAlarmStudy study = run_false_alarms(options);

  std::set<std::string> accused;
  for (const Alarm& alarm : study.alarms) accused.insert(alarm.component);
  EXPECT_FALSE(study.holds());
  for (const char* component : {"linear", "rms_norm", "attention_dense", "moe_experts", "index_block_scores"})
    EXPECT_TRUE(accused.contains(component)) << component;
}

// One of 76 probabilities was a near-tie, while the oracle's roundings cancelled in that row of one element.
TEST(FalseAlarms, DoNotComeFromANearTieInARowOfOneElement) {
  const cases::DrawnCase correct =
      cases::draw_case({"vision_attention", DType::bf16, cases::Lane::anywhere, 25769816533U, {}});

  ASSERT_EQ(correct.plan.sizes.at(0).at('D'), 1);
  ASSERT_TRUE(correct.free_rounding.empty()) << "it claims the oracle's roundings";
  for (const compare::Record& record : cases::judge_case(correct, cases::another_order())) {
    EXPECT_EQ(record.status, compare::Status::pass) << record.reason << record.where;
    EXPECT_LT(record.bit_equal.equal, record.bit_equal.total) << "a near-tie is what it is about";
  }
}

TEST(FalseAlarms, AreLookedForWithoutTokensOfTwoSequencesToo) {
  int found = 0;
  for (uint64_t seed = 0; seed < 400 && found < 3; ++seed) {
    const cases::DrawnCase correct = cases::draw_case({"rms_norm", DType::bf16, cases::Lane::boundary, seed, {}});
    const AxisSizes& sizes = correct.plan.sizes.at(0);
    if (sizes.at('S') != 0 || sizes.at('B') != 2) continue;
    ++found;
    for (const compare::Record& record : cases::judge_case(correct, cases::another_order()))
      EXPECT_EQ(record.status, compare::Status::pass) << seed;
  }
  EXPECT_EQ(found, 3);
}

TEST(FalseAlarms, AreTheSameForTheSameSeedOnAnyNumberOfThreads) {
  FalseAlarmOptions options;
  options.runs = 120;
  options.threads = 1;
  const FalseAlarmStudy one = run_false_alarms(options);
  options.threads = 3;

  const FalseAlarmStudy three = run_false_alarms(options);

  for (size_t i = 0; i < one.headroom.size(); ++i) {
    EXPECT_EQ(one.headroom[i].worst, three.headroom[i].worst) << one.headroom[i].component;
    EXPECT_EQ(one.headroom[i].seed, three.headroom[i].seed) << one.headroom[i].component;
  }
}

TEST(FalseAlarms, SeedsOfTheGateAreNoSeedsOfTheCalibration) {
  for (const uint64_t study : {uint64_t{0}, uint64_t{1}, (uint64_t{1} << 31U) - 1}) {
    for (int64_t run = 0; run < 100; ++run) {
      EXPECT_EQ(cases::case_seed(cases::SeedUse::gate, study, run) % 2, 0U);
      EXPECT_EQ(cases::case_seed(cases::SeedUse::calibration, study, run) % 2, 1U);
    }
  }
}

TEST(FalseAlarms, UpperBoundFollowsFromTheRuns) {
  EXPECT_NEAR(upper_bound_of(0, 10000), 3.0 / 10000.0, 1e-6);
  EXPECT_DOUBLE_EQ(upper_bound_of(0, 1), 0.95);
  EXPECT_NEAR(upper_bound_of(1, 100), 0.0466, 1e-4);  // one-sided bound of Clopper and Pearson
  EXPECT_EQ(upper_bound_of(0, 0), 1.0);
}

TEST(FalseAlarms, BoundariesComeFirst) {
  std::set<int64_t> widths;
  for (uint64_t seed = 0; seed < 64; ++seed)
    widths.insert(cases::draw_case({"linear", DType::f32, cases::Lane::boundary, seed, {}}).plan.sizes.at(0).at('H'));

  for (const int64_t width : widths) {
    const bool power = std::has_single_bit(static_cast<uint64_t>(width));
    EXPECT_TRUE(power || std::has_single_bit(static_cast<uint64_t>(width - 1)) ||
                std::has_single_bit(static_cast<uint64_t>(width + 1)))
        << width;
  }
  EXPECT_GE(widths.size(), 10U);
}

TEST(Arithmetic, EveryOrderAddsEveryTermOnce) {
  std::vector<float> terms, ones;
  for (int i = 0; i < 77; ++i) {
    terms.push_back(static_cast<float>(i));
    ones.push_back(1.0F);
  }
  for (int order = 0; order < cases::kOrders; ++order) {
    for (const int64_t width : {1, 3, 8, 32, 100}) {
      cases::Style style;
      style.order = static_cast<cases::Order>(order);
      style.width = width;
      const cases::Arithmetic math(style);

      EXPECT_EQ(math.sum(terms), 77.0F * 38.0F) << to_string(style.order) << width;
      EXPECT_EQ(math.dot(terms, ones), 77.0F * 38.0F) << to_string(style.order) << width;
    }
  }
}

TEST(Arithmetic, OrdersDifferInTheirLastBits) {
  std::vector<float> terms;
  for (int i = 1; i < 500; ++i) terms.push_back(1.0F / static_cast<float>(i));
  std::set<float> sums;
  for (int order = 0; order < cases::kOrders; ++order) {
    cases::Style style;
    style.order = static_cast<cases::Order>(order);
    sums.insert(cases::Arithmetic(style).sum(terms));
  }

  EXPECT_GE(sums.size(), 3U);
}

}  // namespace
}  // namespace parity::faults

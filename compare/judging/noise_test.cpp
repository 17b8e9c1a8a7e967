// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Spans are judged by the root mean square of their deviation, undecided elements by their distance from the reference.
#include "compare/judging/noise.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/testing/sample_values.hpp"

namespace parity::compare {
namespace {

using ::testing::HasSubstr;
using tests::by_hand;
using tests::correct;
using tests::Sample;

ElementRules span_rules() {
  ElementRules rules;
  rules.most_noise = 2.0;
  rules.check_power = false;
  return rules;
}

/// Returns values of a span of several nodes, in which one element may deviate by four times the largest drift.
Sample span(int64_t rows, int64_t columns) {
  Sample sample = correct(rows, columns, DType::bf16);
  sample.inherited = true;
  return sample;
}

TEST(Noise, OfTheOracleItselfIsNothing) {
  const Sample sample = span(20, 40);

  EXPECT_EQ(noise_of(sample.values(), {}).ratio, 0.0);
}

TEST(Noise, OfAnExactCandidateIsOne) {
  Sample sample = span(20, 40);
  sample.got = sample.exact;

  EXPECT_DOUBLE_EQ(noise_of(sample.values(), {}).ratio, 1.0);
  EXPECT_EQ(sample.judge(span_rules()).status, Status::pass);
}

TEST(Noise, ScaledByHalfAPerCentIsFoundThoughEveryElementIsWithinTolerance) {
  Sample sample = span(20, 40);
  for (double& x : sample.got) x = round_to(DType::bf16, 1.005 * x);
  const Record record = sample.judge(span_rules());

  EXPECT_EQ(record.failed, 0);
  EXPECT_EQ(record.status, Status::fail);
  EXPECT_THAT(record.reason, HasSubstr("the rms error"));
}

TEST(Noise, OneRowThatIsOffIsNamed) {
  Sample sample = span(200, 40);
  for (int64_t c = 0; c < 40; ++c) sample.at(7, c) += 8.0 * 0.002;
  const Record record = sample.judge(span_rules());

  EXPECT_EQ(record.status, Status::fail);
  EXPECT_EQ(record.noise.row, 7);
  EXPECT_THAT(record.reason, HasSubstr("row 7"));
}

/// Only the last slots of this cache are new. The other rows are copies and show no roundings.
TEST(Noise, IsThatOfTheRowsThatAreComputed) {
  Sample few = span(10, 40), among_copies = span(200, 40);
  for (Sample* sample : {&few, &among_copies}) sample->got = sample->exact;
  for (int64_t i = 10 * 40; i < 200 * 40; ++i) {
    const auto at = static_cast<size_t>(i);
    among_copies.exact[at] = among_copies.got[at] = among_copies.rounded[at];
  }
  const Noise alone = noise_of(few.values(), {}), noise = noise_of(among_copies.values(), {});

  EXPECT_DOUBLE_EQ(noise.ratio, 1.0);
  EXPECT_EQ(noise.elements, 10 * 40);
  EXPECT_DOUBLE_EQ(noise.worst_row, alone.worst_row);
}

/// Returns binary32 scores of a span. The oracle has nearly the exact sums; another order of the sums gives `got`.
Sample scores(double noise, double apart) {
  Sample sample = by_hand(std::vector<double>(80, 26.0), 40, 0.0, noise, DType::f32);
  sample.working = DType::bf16;
  sample.inherited = true;
  for (size_t i = 0; i < sample.exact.size(); ++i) {
    sample.exact[i] += static_cast<double>(i) * 0.125;
    sample.rounded[i] = sample.exact[i] + (i % 8 == 0 ? 0x1p-19 : 0.0);
    sample.got[i] = sample.exact[i] + (i % 2 == 0 ? apart : -apart);
  }
  return sample;
}

// regression: index block scores of correct kernels under --cp were refused
TEST(Noise, ThatBinary32OperationsAloneExplainIsNoReason) {
  const Record record = scores(0x1p-13, 0x1p-18).judge(span_rules());

  EXPECT_GT(record.noise.ratio, 2.0) << "the oracle errs less by chance";
  EXPECT_EQ(record.status, Status::pass) << record.reason;
}

TEST(Noise, BeyondTheBinary32BoundOfOneElementIsJudged) {
  Sample sample = scores(0x1p-13, 0x1p-18);
  sample.noise[5] = 0x1p-19;
  const Record record = sample.judge(span_rules());

  EXPECT_EQ(record.failed, 0) << "within four times the drift";
  EXPECT_EQ(record.status, Status::fail);
  EXPECT_THAT(record.reason, HasSubstr("the rms error"));
}

TEST(Noise, LeavesOutTaintedElements) {
  Sample sample = span(20, 40);
  std::vector<bool> tainted(800, false);
  for (size_t i = 0; i < 40; ++i) {
    sample.got[i] += 1.0;
    tainted[i] = true;
  }

  EXPECT_EQ(noise_of(sample.values(), tainted).ratio, 0.0);
}

TEST(Noise, OfMostRowsCountsEvenBehindOpenChoices) {
  Sample sample = span(20, 40);
  for (double& x : sample.got) x = round_to(DType::bf16, 1.005 * x);
  ElementRules rules = span_rules();
  rules.tainted.assign(800, true);
  const Record record = sample.judge(rules);

  EXPECT_EQ(record.status, Status::fail);
  EXPECT_THAT(record.reason, HasSubstr("half of the rows"));
}

TEST(Noise, SamplesAreHeadsOrRowsOfLikeSize) {
  Sample sample = correct(20, 40, DType::bf16);
  for (size_t i = 0; i < sample.exact.size(); ++i) sample.rounded[i] = sample.exact[i] + 0.01;

  EXPECT_NEAR(samples_of(sample.values(), 40), 20.0, 1e-6);
  EXPECT_NEAR(samples_of(sample.values(), 8), 100.0, 1e-6);
  for (size_t i = 0; i < 40; ++i) sample.rounded[i] = sample.exact[i] + 10.0;  // one row has nearly all of the drift
  EXPECT_NEAR(samples_of(sample.values(), 40), 1.0, 0.01);
}

TEST(Noise, OneMoreRoundingIsFartherThanTheOracleWhereHeadsAreSamples) {
  Sample sample = correct(100, 40, DType::bf16);  // five heads of eight channels
  const Random random(2, "added");
  for (size_t i = 0; i < sample.exact.size(); ++i) {
    const double added = 0x1p-8 * (random.uniform(i / 8) - 0.5);  // one rounding common to all channels of a head
    sample.rounding[i] *= 3.0;
    sample.noise[i] = sample.rounding[i];
    sample.got[i] = round_to(DType::bf16, sample.exact[i] * (1.0 + added));
  }
  ElementRules rules;
  rules.check_power = false;
  rules.systematic = false;
  rules.no_farther = true;
  EXPECT_EQ(sample.judge(rules).status, Status::pass) << "a hundred rows tell too little";
  rules.sharing = 8;
  const Record record = sample.judge(rules);

  EXPECT_EQ(record.failed, 0);
  EXPECT_EQ(record.status, Status::fail);
  EXPECT_THAT(record.reason, HasSubstr("times the oracle's"));
}

TEST(Undecided, ElementsAreCounted) {
  Sample sample = correct(20, 40, DType::bf16);
  ElementRules rules;
  rules.tainted.assign(800, false);
  rules.tainted[5] = rules.tainted[6] = true;
  sample.got[5] += 0.5;
  const Record record = sample.judge(rules);

  EXPECT_EQ(record.status, Status::pass);
  EXPECT_EQ(record.undecided.elements, 2);
  EXPECT_EQ(record.undecided.deviating, 1);
}

TEST(Undecided, ElementsAreNotExcusedForNaN) {  // regression: a tap of NaN after an unrecorded choice passed
  Sample sample = correct(20, 40, DType::bf16);
  ElementRules rules;
  rules.tainted.assign(800, true);
  sample.got[5] = std::numeric_limits<double>::quiet_NaN();

  EXPECT_EQ(sample.judge(rules).status, Status::fail);
}

TEST(Undecided, ElementsFarFromEverythingFail) {  // regression: logits of 1024 passed
  Sample sample = correct(20, 40, DType::bf16);
  ElementRules rules;
  rules.tainted.assign(800, true);
  std::fill(sample.got.begin(), sample.got.end(), 1024.0);
  const Record record = sample.judge(rules);

  EXPECT_EQ(record.status, Status::fail);
  EXPECT_THAT(record.reason, HasSubstr("choices that are not recorded"));
}

TEST(Undecided, ZerosFailWhereMostOfTheTapIsUndecided) {
  Sample sample = correct(20, 40, DType::bf16);
  ElementRules rules;
  rules.tainted.assign(800, true);
  std::fill(sample.got.begin(), sample.got.end(), 0.0);

  EXPECT_EQ(sample.judge(rules).status, Status::fail);
}

}  // namespace
}  // namespace parity::compare

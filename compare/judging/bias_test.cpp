// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/bias.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/testing/sample_values.hpp"

namespace parity::compare {
namespace {

using ::testing::HasSubstr;
using tests::by_hand;
using tests::correct;
using tests::Sample;

const ElementRules kOwnRounding{false, true, {}};

/// Returns values of a component with several roundings, with independent random errors of oracle and candidate. Adds
/// `offset` times the tolerance to the elements for which `where` is true.
template <class Where>
Sample offset_sample(int64_t rows, int64_t columns, double offset, const Where& where) {
  auto sample = correct(rows, columns, DType::bf16);
  const Random oracle(2, "oracle");
  const Random candidate(3, "candidate");
  constexpr double kUnit = 0x1p-8;
  for (size_t i = 0; i < sample.exact.size(); ++i) {
    const double x = sample.exact[i];
    sample.rounding[i] = 4.0 * kUnit * std::abs(x);
    sample.rounded[i] = round_to(DType::bf16, x * (1.0 + 3.0 * kUnit * (oracle.uniform(i) - 0.5)));
  }
  const Values values = sample.values();
  const Tolerance tolerance(values);
  for (size_t i = 0; i < sample.exact.size(); ++i) {
    const auto flat = static_cast<int64_t>(i);
    const double error = 2.0 * kUnit * (candidate.uniform(i) - 0.5) * sample.exact[i];
    const double shift = where(flat / columns, flat % columns) ? offset * tolerance.at(flat) : 0.0;
    sample.got[i] = round_to(DType::bf16, sample.exact[i] + error + shift);
  }
  return sample;
}

TEST(Bias, OfATenthOfTheToleranceEverywhereIsFound) {
  const Record record = offset_sample(128, 512, 0.1, [](int64_t, int64_t) { return true; }).judge(kOwnRounding);

  EXPECT_EQ(record.failed, 0) << "no single element shows it";
  EXPECT_EQ(record.status, Status::fail);
  EXPECT_THAT(record.reason, HasSubstr("systematic error"));
}

TEST(Bias, OfACorrectCandidateIsNotFound) {
  const Record record = offset_sample(128, 512, 0.0, [](int64_t, int64_t) { return true; }).judge(kOwnRounding);

  EXPECT_EQ(record.status, Status::pass) << record.reason;
  EXPECT_LT(std::abs(record.bias.z), 8.0);
}

TEST(Bias, IsNotWhatOnlyTheOraclesRoundingsHaveInCommon) {
  auto sample = offset_sample(128, 512, 0.0, [](int64_t, int64_t) { return true; });
  for (size_t i = 512; i < 1024; ++i) sample.rounded[i] = sample.exact[i] + 0x1p-6 * std::abs(sample.exact[i]);
  Values values = sample.values();
  EXPECT_LT(fit_bias(values).z, -8.0) << "a candidate that rounds as the oracle does would share the error";
  values.rounds_freely = true;
  EXPECT_LT(std::abs(fit_bias(values).z), 8.0);

  for (size_t i = 512; i < 1024; ++i) sample.got[i] = sample.exact[i] - 0x1p-6 * std::abs(sample.exact[i]);
  EXPECT_LT(fit_bias(values).z, -8.0) << "an error of its own, away from the oracle's";

  for (size_t i = 512; i < 1024; ++i) sample.got[i] = sample.exact[i] + 0x1p-5 * std::abs(sample.exact[i]);
  EXPECT_GT(fit_bias(values).z, 8.0) << "twice the oracle's";
}

TEST(Bias, OfOneRowOrColumnIsNamed) {
  const auto row = offset_sample(16, 256, 0.35, [](int64_t r, int64_t) { return r == 5; }).judge(kOwnRounding);
  const auto column = offset_sample(256, 16, 0.35, [](int64_t, int64_t c) { return c == 9; }).judge(kOwnRounding);

  EXPECT_EQ(row.status, Status::fail) << row.bias.z;
  EXPECT_EQ(row.bias.where, "row 5");
  EXPECT_EQ(column.status, Status::fail) << column.bias.z;
  EXPECT_EQ(column.bias.where, "column 9");
}

TEST(Bias, IsTheLineThroughTheValues) {
  auto sample = by_hand({1, 2, 3, 4}, 4, 1.0, 0.0);
  for (double& x : sample.got) x = 2.0 * x - 0.5;
  const Bias bias = fit_bias(sample.values());

  EXPECT_DOUBLE_EQ(bias.scale, 2.0);
  EXPECT_DOUBLE_EQ(bias.offset, -0.5);
}

TEST(Bias, OfTheSameSizeInEveryElementIsCertain) {
  auto sample = by_hand(std::vector<double>(64, 1.0), 64, 1.0, 0.0);
  for (double& x : sample.got) x += 0.25;

  EXPECT_EQ(fit_bias(sample.values()).z, 1e6);
  for (double& x : sample.got) x -= 0.5;
  EXPECT_EQ(fit_bias(sample.values()).z, -1e6);
}

TEST(Bias, OfNoiseOrATenthOfAnUlpIsExplained) {
  auto sample = by_hand(std::vector<double>(64, 1.0), 64, 1.0, 1e-3);
  for (double& x : sample.got) x += 1e-3 + 0.09 * 0x1p-8;
  EXPECT_EQ(fit_bias(sample.values()).z, 0.0);

  for (double& x : sample.got) x += 0.02 * 0x1p-8;
  EXPECT_NE(fit_bias(sample.values()).z, 0.0);
}

TEST(Bias, OfTheOraclesVeryBitsIsNoneWhateverTheBound) {
  auto sample = by_hand(std::vector<double>(64, 1.0), 64, 1.0, std::nan(""));

  EXPECT_EQ(fit_bias(sample.values()).z, 0.0);
}

TEST(Bias, OfAFewElementsSaysNothing) {
  auto sample = by_hand(std::vector<double>(31, 1.0), 31, 1.0, 0.0);
  for (double& x : sample.got) x += 0.25;

  EXPECT_EQ(fit_bias(sample.values()).z, 0.0);
}

TEST(Bias, IgnoresWhatIsNotFinite) {
  auto sample = by_hand(std::vector<double>(64, 1.0), 64, 1.0, 0.0);
  sample.exact[3] = sample.rounded[3] = sample.got[3] = HUGE_VAL;
  sample.exact[4] = sample.rounded[4] = sample.got[4] = std::nan("");

  EXPECT_EQ(fit_bias(sample.values()).z, 0.0);
}

}  // namespace
}  // namespace parity::compare

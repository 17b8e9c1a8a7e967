// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/tolerance.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "compare/testing/sample_values.hpp"

namespace parity::compare {
namespace {

using tests::by_hand;

constexpr double kBf16 = 0x1p-8;  // unit roundoff

double tolerance(const tests::Sample& sample, int64_t i) {
  const Values values = sample.values();
  return Tolerance(values).at(i);
}

TEST(Tolerance, IsNoiseAndTheWorstCaseOfTheRoundings) {
  const auto sample = by_hand({1.0, 2.0}, 2, 1e-3, 1e-5);

  EXPECT_DOUBLE_EQ(tolerance(sample, 0), 1e-5 + 1e-3);
}

TEST(Tolerance, IsCappedByTwiceTheOraclesErrorAndOneRounding) {
  auto sample = by_hand({1.0, 2.0}, 2, 0.5, 1e-5);
  sample.rounded[1] = 2.001;

  EXPECT_DOUBLE_EQ(tolerance(sample, 0), 1e-5 + 2.0 * (2.001 - 2.0) + kBf16 * 1.0);
  EXPECT_DOUBLE_EQ(tolerance(sample, 1), 1e-5 + 2.0 * (2.001 - 2.0) + kBf16 * 2.0);
}

TEST(Tolerance, TakesTheOraclesErrorFromTheElementsOwnRow) {
  auto sample = by_hand({1.0, 1.0, 1.0, 1.0}, 2, 0.5, 0.0);
  sample.rounded[0] = 1.01;

  EXPECT_DOUBLE_EQ(tolerance(sample, 1), 2.0 * (1.01 - 1.0) + kBf16);
  EXPECT_DOUBLE_EQ(tolerance(sample, 2), kBf16);
}

TEST(Tolerance, OfOwnRoundingsInAShortRowTakesTheTapsShareOfItsBound) {
  constexpr int64_t kCount = 64;  // rows of two elements
  auto sample = by_hand(std::vector<double>(kCount, 1.0), 2, 0.1, 0.0);
  sample.rounded[2] = 1.02;
  sample.rounding.back() = 0.0;
  Values v = sample.values();

  EXPECT_DOUBLE_EQ(Tolerance(v).at(0), kBf16);  // this row shows no error
  v.telling_row = kTellingRow;
  EXPECT_NEAR(Tolerance(v).at(0), 0.04 + kBf16, 1e-12);  // twice a fifth of the bound, the other row's share
  EXPECT_EQ(Tolerance(v).at(kCount - 1), 0.0);
}

/// Two slots whose values all channels lie between: an oracle's weight that needs no rounding shows no error.
TEST(Tolerance, OfOwnRoundingsInALongRowTakesTheTapsShareOfItsBound) {
  constexpr int64_t kRow = 40;
  auto sample = by_hand(std::vector<double>(2 * kRow, 1.0), kRow, 0.1, 0.0);
  for (size_t i = kRow; i < 2 * kRow; ++i) sample.rounded[i] = 1.02;
  Values v = sample.values();
  v.telling_row = kTellingRowSame;

  EXPECT_DOUBLE_EQ(Tolerance(v).at(0), kBf16);  // with the oracle's rounding points, another weight is wrong
  v.telling_row = kTellingRow;
  EXPECT_NEAR(Tolerance(v).at(0), 0.04 + kBf16, 1e-12);
  EXPECT_NEAR(Tolerance(v).at(kRow), 0.04 + kBf16, 1e-12);
}

TEST(Tolerance, TrustsFewSamplesOfTheOracleLess) {
  EXPECT_EQ(oracle_factor(kTellingRow), kOracleFactor);
  EXPECT_NEAR(oracle_factor(8), 3.9, 0.1);
  EXPECT_NEAR(oracle_factor(2), 64.0, 1.0);
  EXPECT_TRUE(std::isinf(oracle_factor(1)));  // one sample: only the worst case of all roundings bounds it

  auto sample = by_hand({1.0}, 1, 0.1, 0.0);
  sample.rounded[0] = 1.01;
  Values one = sample.values();
  for (const int64_t telling : {kTellingRow, kTellingRowSame}) {
    one.telling_row = telling;
    EXPECT_DOUBLE_EQ(Tolerance(one).at(0), 0.1) << telling;
  }
  auto four = by_hand({1.0, 1.0, 1.0, 1.0}, 4, 0.1, 0.0);
  four.rounded[0] = 1.01;
  Values several = four.values();
  several.telling_row = kTellingRowSame;
  EXPECT_NEAR(Tolerance(several).at(0), 2.0 * 0.01 + kBf16, 1e-12);  // with the oracle's rounding points
}

TEST(Tolerance, AllowsNoRoundingWhereNothingIsRounded) {
  auto sample = by_hand({1.0, 2.0}, 2, 0.0, 1e-7);
  sample.rounded[1] = 2.1;

  EXPECT_DOUBLE_EQ(tolerance(sample, 0), 1e-7);
}

TEST(Tolerance, OfBinary64IsTwiceRoundingAndNoise) {
  const auto sample = by_hand({1.0, 2.0}, 2, 1e-15, 3e-15, DType::f64);

  EXPECT_DOUBLE_EQ(tolerance(sample, 0), 8e-15);
}

TEST(Tolerance, OfAChainAddsItsDrift) {
  for (const auto& [dtype, factor] : {std::pair{DType::bf16, kDriftFactor}, {DType::f32, kDriftFactorSingle}}) {
    auto sample = by_hand({1.0, 2.0}, 2, 0.0, 1e-5, dtype);
    sample.rounded[1] = 2.25;
    sample.inherited = true;

    EXPECT_DOUBLE_EQ(tolerance(sample, 0), 1e-5 + factor * 0.25) << to_string(dtype);
  }
}

TEST(Tolerance, OfAChainReckonsWithHalfTheDriftInFrontOfIt) {
  auto sample = by_hand({1.0, -8.0}, 2, 0.0, 0.0);
  sample.inherited = true;
  sample.chain_drift = 0.01;

  EXPECT_DOUBLE_EQ(tolerance(sample, 0), kDriftFactor * 0.5 * 0.01 * 8.0);
  sample.inherited = false;
  EXPECT_EQ(tolerance(sample, 0), 0.0);
}

TEST(Tolerance, OfABinary64ChainAllowsTwoToTheMinus41OfTheTap) {
  auto sample = by_hand({1.0, 4.0}, 2, 0.0, 0.0, DType::f64);
  sample.inherited = true;

  EXPECT_DOUBLE_EQ(tolerance(sample, 0), 4.0 * 0x1p-41);
}

TEST(Tolerance, IgnoresElementsThatAreNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  auto sample = by_hand({1.0, -infinity, std::nan(""), 2.0}, 4, 0.5, 0.0);
  sample.rounded[3] = infinity;
  sample.inherited = true;
  const Values values = sample.values();
  const Tolerance bound(values);

  EXPECT_EQ(bound.largest(), 2.0);
  EXPECT_EQ(bound.drift(), 0.0);
  EXPECT_DOUBLE_EQ(bound.at(0), kBf16);
}

TEST(Tolerance, NamesItsTerms) {
  auto sample = by_hand({1.0, 2.0}, 2, 0.5, 1e-5);
  sample.rounded[1] = 2.001;
  const Values values = sample.values();
  const Terms terms = Tolerance(values).terms(1);

  EXPECT_EQ(terms.rounding, 0.5);
  EXPECT_EQ(terms.noise, 1e-5);
  EXPECT_DOUBLE_EQ(terms.oracle, 2.001 - 2.0);
  EXPECT_DOUBLE_EQ(terms.last, 2.0 * kBf16);
  EXPECT_EQ(terms.drift, 0.0);
  EXPECT_DOUBLE_EQ(terms.tolerance, terms.noise + 2.0 * terms.oracle + terms.last);
}

}  // namespace
}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Errors that single elements do not show: slices that could be wrong unnoticed, and other bits than the oracle's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/testing/sample_values.hpp"

namespace parity::compare {
namespace {

using ::testing::HasSubstr;
using tests::by_hand;
using tests::correct;
using tests::Sample;

const ElementRules kRoundsItsOwnWay{false, true, {}};
const ElementRules kOraclesRounding{true, true, {}};

/// Sets the noise of each element to `units` times |exact|.
Sample with_noise(Sample sample, double units) {
  for (size_t i = 0; i < sample.exact.size(); ++i) sample.noise[i] = units * std::abs(sample.exact[i]);
  return sample;
}

TEST(Power, OfABoundThatAcceptsZerosIsMistrusted) {
  const Record record = with_noise(correct(20, 20, DType::f32), 1.1).judge(kRoundsItsOwnWay);

  EXPECT_EQ(record.status, Status::mistrusted);
  EXPECT_THAT(record.reason, HasSubstr("20 of 20 slices (token) could be zero without being noticed"));
}

TEST(Power, OfABoundThatAcceptsTheOppositeIsMistrusted) {
  const Record record = with_noise(correct(20, 20, DType::f32), 2.1).judge(kRoundsItsOwnWay);

  EXPECT_THAT(record.unnoticed, ::testing::Contains(HasSubstr("could be negated without being noticed")));
}

/// Returns rows of numbers near 100 that differ by about 1, with a tolerance of several: no element tells rows apart.
Sample rows_alike(double rounding) {
  auto sample = correct(20, 20, DType::f32);
  for (size_t i = 0; i < sample.exact.size(); ++i) {
    sample.exact[i] += 100.0;
    sample.got[i] = sample.rounded[i] = round_to(DType::f32, sample.exact[i]);
    sample.noise[i] = 1e-6;
    sample.rounding[i] = rounding;
    if (i % 20 == 0) sample.rounded[i] += 3.0;
  }
  return sample;
}

TEST(Power, OfABoundThatAcceptsTheNextRowIsMistrusted) {
  const Record record = rows_alike(5.0).judge(kRoundsItsOwnWay);

  EXPECT_EQ(record.status, Status::mistrusted);
  EXPECT_THAT(record.reason, HasSubstr("slices (token) could be exchanged with the next without being noticed"));
}

TEST(Power, OfABoundThatTellsTheRowsApartIsEnough) {
  EXPECT_EQ(rows_alike(0.01).judge(kRoundsItsOwnWay).status, Status::pass);
}

/// One element beyond its tolerance is enough to notice the slice. A rule by shares would call this tap blind.
TEST(Power, OfOneTellingElementInARowIsEnough) {
  auto sample = correct(20, 20, DType::f32);
  for (size_t i = 0; i < sample.exact.size(); ++i) {
    if (i % 20 != 0) sample.exact[i] = sample.got[i] = sample.rounded[i] = 1e-30;
  }

  EXPECT_EQ(sample.judge(kRoundsItsOwnWay).status, Status::pass);
}

TEST(Power, IsNotAskedWhereTheDriftDecides) {
  EXPECT_EQ(rows_alike(5.0).judge({false, false, {}}).status, Status::pass);
}

Record judged_constant(double value, int64_t count, int64_t row, const ElementRules& rules) {
  return by_hand(std::vector<double>(static_cast<size_t>(count), value), row, 0.0, 0.0).judge(rules);
}

TEST(Power, OfAConstantOutputIsMistrusted) {
  for (const double value : {0.0, 1.0}) {
    const Record record = judged_constant(value, 16, 4, kRoundsItsOwnWay);

    EXPECT_EQ(record.status, Status::mistrusted) << value;
    EXPECT_THAT(record.reason, HasSubstr("constant"));
  }
}

TEST(Power, OfAFewEqualElementsOrOfWeightsOfTopOneIsNoReason) {
  EXPECT_EQ(judged_constant(1.0, 15, 5, kRoundsItsOwnWay).status, Status::pass);
  EXPECT_EQ(judged_constant(1.0, 16, 1, kRoundsItsOwnWay).status, Status::pass);
  EXPECT_EQ(judged_constant(0.0, 16, 1, kRoundsItsOwnWay).status, Status::mistrusted);
}

/// Decision record 4: where bits are counted, a constant output that should vary has other bits.
TEST(Power, OfAConstantOutputIsNoReasonWhereBitsAreCounted) {
  EXPECT_EQ(judged_constant(1.0, 16, 4, kOraclesRounding).status, Status::pass);

  auto sample = correct(20, 20, DType::bf16);
  sample.got.assign(sample.got.size(), 0.0);
  EXPECT_EQ(sample.judge(kOraclesRounding).status, Status::fail);
}

TEST(Power, OfABoundThatAcceptsEverythingNeverPasses) {
  for (const ElementRules& rules : {kRoundsItsOwnWay, kOraclesRounding}) {
    auto sample = correct(20, 20, DType::bf16);
    sample.noise.assign(sample.noise.size(), HUGE_VAL);
    for (double& x : sample.got) x = round_to(DType::bf16, -3.0 * x);

    EXPECT_NE(sample.judge(rules).status, Status::pass) << "claims rounding: " << rules.claims_rounding;
  }
}

/// Returns values with one rounding, whose exact values are a fifth of an ulp above a bf16 number. Every `every`-th
/// element is the neighbour above instead, within its budget.
Sample second_neighbours(size_t every) {
  auto sample = by_hand(std::vector<double>(1024, 0.0), 32, 0.0, 0.0);
  for (size_t i = 0; i < sample.exact.size(); ++i) {
    sample.rounded[i] = 1.75 + static_cast<double>(i % 30) * 0x1p-7;
    sample.exact[i] = sample.rounded[i] + 0.2 * 0x1p-7;
    sample.rounding[i] = 0x1p-8 * sample.exact[i];
    sample.got[i] = sample.rounded[i] + (i % every == 0 ? 0x1p-7 : 0.0);
  }
  return sample;
}

TEST(Bits, ThatNoNearTieExplainsFail) {
  const Record record = second_neighbours(25).judge(kOraclesRounding);

  EXPECT_EQ(record.failed, 0) << "each element alone is plausible";
  EXPECT_EQ(record.status, Status::fail);
  EXPECT_THAT(record.reason, HasSubstr("41 of 1024 elements differ from the oracle's bits"));
}

TEST(Bits, MayDifferInLessThanEightElementsOrOnePercent) {
  EXPECT_EQ(second_neighbours(150).judge(kOraclesRounding).status, Status::pass);  // 7
  EXPECT_EQ(second_neighbours(105).judge(kOraclesRounding).status, Status::pass);  // 10 of 1024
  EXPECT_EQ(second_neighbours(93).judge(kOraclesRounding).status, Status::fail);   // 12 of 1024
}

TEST(Bits, AreNotAskedOfACandidateWithItsOwnRounding) {
  const Record record = second_neighbours(25).judge(kRoundsItsOwnWay);

  EXPECT_EQ(record.bit_equal.equal, 1024 - 41);
  EXPECT_EQ(record.status, Status::pass) << record.reason;
}

TEST(Bits, OnNearTiesAreExplained) {
  // The exact value is 2^-20 beside the boundary between the bf16 neighbours 1 and 1 + 2^-7.
  auto sample = by_hand(std::vector<double>(1024, 1.0 + 0x1p-8 + 0x1p-20), 32, 0x1p-8, 0x1p-19);
  for (size_t i = 0; i < sample.got.size(); ++i) {
    sample.exact[i] += static_cast<double>(i) * 0x1p-40;  // not constant
    sample.rounded[i] = 1.0 + 0x1p-7;
    sample.got[i] = i % 4 == 0 ? 1.0 : 1.0 + 0x1p-7;
  }
  const Record near = sample.judge(kOraclesRounding);
  EXPECT_EQ(near.bit_equal.near_ties, 256);
  EXPECT_EQ(near.bit_equal.equal, 768);

  sample.noise.assign(sample.noise.size(), 0x1p-21);  // less than the distance to the boundary
  EXPECT_EQ(sample.judge(kOraclesRounding).bit_equal.near_ties, 0);
}

TEST(Bits, SeveralUlpApartAreExplainedByNoiseAlone) {
  // The element is two bf16 ulp of 2^-16 off at 0.002: no near-tie, but within binary32 noise at the scale of 8.
  auto sample = by_hand(std::vector<double>(64, 0x1p-9), 8, 0x1p-18, 0x1p-15);
  sample.got[0] += 0x1p-15;
  sample.exact[1] = sample.rounded[1] = sample.got[1] = 8.0;
  EXPECT_EQ(sample.judge(kOraclesRounding).bit_equal.near_ties, 1);

  sample.noise.assign(sample.noise.size(), 0x1p-16);
  EXPECT_EQ(sample.judge(kOraclesRounding).bit_equal.near_ties, 0);

  sample.noise.assign(sample.noise.size(), 0x1p-15);
  sample.exact[1] = sample.rounded[1] = sample.got[1] = 1.0;  // noise of 512 u at that scale is too wide to excuse bits
  EXPECT_EQ(sample.judge(kOraclesRounding).bit_equal.near_ties, 0);
}

TEST(Trust, DoesNotAskForTheSignOfSingleElements) {
  // A tenth of the elements are negligible beside the largest one. At 2^-15 of it they are not negligible.
  auto sample = correct(64, 16, DType::f32);
  const auto shrink = [&](double to) {
    for (size_t i = 0; i < sample.exact.size(); i += 10) {
      sample.exact[i] = sample.rounded[i] = sample.got[i] = to;
      sample.noise[i] = 8.0 * to;
    }
  };
  shrink(0x1p-21);
  EXPECT_EQ(sample.judge(kRoundsItsOwnWay).status, Status::pass) << sample.judge(kRoundsItsOwnWay).reason;
  shrink(0x1p-15);
  EXPECT_EQ(sample.judge(kRoundsItsOwnWay).status, Status::pass) << "nine in ten of every slice tell";
}

TEST(Bits, OfABinary32TapInANarrowRunDifferByNoiseOnly) {
  auto sample = by_hand(std::vector<double>(64, 1.0), 8, 0.0, 1e-6, DType::f32);
  sample.working = DType::bf16;
  sample.got[0] = 1.0 + 5e-7;
  sample.got[1] = 1.0 + 9e-7;
  sample.noise[1] = 1e-8;

  const Record record = sample.judge(kOraclesRounding);
  EXPECT_EQ(record.bit_equal.equal, 62);
  EXPECT_EQ(record.bit_equal.near_ties, 1);
}

/// Returns `rows` x 16 binary32 sums of bf16 terms. In the first `flipped` rows one term was rounded the other way.
Sample sums_of_rounded(int64_t rows, int64_t flipped) {
  Sample sample = correct(rows, 16, DType::f32);
  sample.working = DType::bf16;
  for (size_t i = 0; i < sample.exact.size(); ++i) {
    const double ulp = unit_roundoff(DType::bf16) * std::abs(sample.exact[i]);
    sample.rounding[i] = 2.0 * ulp;
    sample.rounded[i] = round_to(DType::f32, sample.exact[i] + (i % 3 == 0 ? -ulp : ulp));
    const bool here = static_cast<int64_t>(i) / 16 < flipped;
    sample.got[i] =
        here ? round_to(DType::f32, sample.rounded[i] + (i % 2 == 0 ? -0.5 : 0.5) * ulp) : sample.rounded[i];
  }
  return sample;
}

TEST(Bits, OfABinary32SumOfRoundedTermsMayDifferInAFewWholeRows) {
  EXPECT_EQ(sums_of_rounded(9, 2).judge(kOraclesRounding).status, Status::pass) << "two rows of a small tap";
  EXPECT_EQ(sums_of_rounded(64, 4).judge(kOraclesRounding).status, Status::pass);
  EXPECT_EQ(sums_of_rounded(64, 5).judge(kOraclesRounding).status, Status::fail);
  EXPECT_EQ(sums_of_rounded(9, 3).judge(kOraclesRounding).status, Status::fail);

  Sample unrounded = sums_of_rounded(64, 1);
  for (double& bound : unrounded.rounding) bound = 0.0;
  EXPECT_EQ(unrounded.judge(kOraclesRounding).status, Status::fail) << "nothing is rounded to T inside";
}

}  // namespace
}  // namespace parity::compare

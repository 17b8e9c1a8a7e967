// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tests each published predicate on both sides of its threshold, and shows errors that the scalar ones miss.
#include "compare/studies/other_judges.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "compare/testing/sample_values.hpp"
#include "core/testing/numbers.hpp"

namespace parity::compare {
namespace {

using parity::tests::kInfinity;
using parity::tests::kNaN;

using tests::by_hand;
using tests::correct;
using tests::Sample;

bool accepts(const char* judge, const Sample& sample) { return other_judge(judge).accepts(sample.values()); }

/// Whether the predicate accepts `got` against the reference in binary64.
bool accepts(const char* judge, const std::vector<double>& reference, const std::vector<double>& got) {
  Sample sample = by_hand(reference, 1, 0.0, 0.0, DType::f64);
  sample.got = got;
  return accepts(judge, sample);
}

TEST(OtherJudges, NmseIsTheSquaredErrorOverTheSquaredReference) {
  EXPECT_TRUE(accepts("nmse-5e-4", {3, 4}, {3, 4.1118}));  // 0.0125 / 25
  EXPECT_FALSE(accepts("nmse-5e-4", {3, 4}, {3, 4.1119}));
  EXPECT_TRUE(accepts("nmse-1e-7", {3, 4}, {3, 4.00158}));  // 2.5e-6 / 25
  EXPECT_FALSE(accepts("nmse-1e-7", {3, 4}, {3, 4.00159}));
}

TEST(OtherJudges, CosineIsOfTheAngleAlone) {
  EXPECT_TRUE(accepts("cosine-0.997", {1, 0}, {0.9971, std::sqrt(1 - 0.9971 * 0.9971)}));
  EXPECT_FALSE(accepts("cosine-0.997", {1, 0}, {0.9969, std::sqrt(1 - 0.9969 * 0.9969)}));
  EXPECT_TRUE(accepts("cosine-0.999", {1, 0}, {0.9991, std::sqrt(1 - 0.9991 * 0.9991)}));
  EXPECT_FALSE(accepts("cosine-0.999", {1, 0}, {0.9989, std::sqrt(1 - 0.9989 * 0.9989)}));
}

TEST(OtherJudges, DifferenceSeesLengthAsWellAsAngle) {
  EXPECT_TRUE(accepts("calc-diff-1e-3", {1, 1}, {1.045, 1.045}));  // 1 - 2 * 1.045 / (1 + 1.045^2) = 9.7e-4
  EXPECT_FALSE(accepts("calc-diff-1e-3", {1, 1}, {1.047, 1.047}));
  EXPECT_TRUE(accepts("calc-diff-1e-5", {1, 1}, {1.0044, 1.0044}));
  EXPECT_FALSE(accepts("calc-diff-1e-5", {1, 1}, {1.0046, 1.0046}));
}

TEST(OtherJudges, AllcloseAddsAnAbsoluteAndARelativePart) {
  EXPECT_TRUE(accepts("allclose-1e-2", {0, 2}, {0.0099, 2.0299}));
  EXPECT_FALSE(accepts("allclose-1e-2", {0, 2}, {0.0101, 2}));
  EXPECT_FALSE(accepts("allclose-1e-2", {0, 2}, {0, 2.0301}));
}

TEST(OtherJudges, MatchedRatioForgivesOneElementInTwenty) {
  std::vector<double> reference(40, 1.0), got = reference;
  got[3] = got[17] = 100.0;
  EXPECT_TRUE(accepts("matched-0.95", reference, got));

  got[30] = 100.0;
  EXPECT_FALSE(accepts("matched-0.95", reference, got));
}

TEST(OtherJudges, SymmetricToleranceIsAShareOfBothSides) {
  EXPECT_TRUE(accepts("symmetric-0.05", {1, 0}, {1.105, 0}));  // 0.105 <= 0.05 * 2.105
  EXPECT_FALSE(accepts("symmetric-0.05", {1, 0}, {1.106, 0}));
  EXPECT_FALSE(accepts("symmetric-0.05", {1, 0}, {1, 1e-9}));
}

TEST(OtherJudges, LargestErrorKnowsNoScale) {
  EXPECT_TRUE(accepts("max-abs-2.5e-2", {1000, 1e-3}, {1000.025, 0.026}));
  EXPECT_FALSE(accepts("max-abs-2.5e-2", {1000, 1e-3}, {1000.0251, 1e-3}));
}

TEST(OtherJudges, TwiceTheRoundedRunAllowsTwoUnitsMore) {
  Sample sample = by_hand({1.0, 2.0}, 1, 0.0, 0.0);  // in bf16, 1.3 is 1.296875, and 1.296875 - 0.3 is 1 - 2^-8
  sample.rounded = {1.0, 2.015625};
  sample.got = {1.0390625, 2.0};  // 2 * 2^-6 + 2 * 2^-8
  EXPECT_TRUE(accepts("twice-rounded", sample));

  sample.got = {1.046875, 2.0};
  EXPECT_FALSE(accepts("twice-rounded", sample));

  sample.dtype = DType::f32;
  EXPECT_TRUE(accepts("twice-rounded", sample)) << "published for 16-bit types";
}

TEST(OtherJudges, AllAcceptTheReferenceItselfAndRefuseZeros) {
  const Sample same = correct(8, 16, DType::bf16);
  Sample zeros = same;
  zeros.got.assign(zeros.got.size(), 0.0);
  for (const OtherJudge& judge : other_judges()) {
    EXPECT_TRUE(judge.accepts(same.values())) << judge.name;
    EXPECT_FALSE(judge.accepts(zeros.values())) << judge.name;
  }
}

TEST(OtherJudges, LeaveOutWhatIsMaskedOnBothSidesAndRefuseWhatIsFiniteOnOne) {
  for (const OtherJudge& judge : other_judges()) {
    EXPECT_TRUE(accepts(judge.name.c_str(), {1, -kInfinity, kNaN}, {1, -kInfinity, kNaN})) << judge.name;
    EXPECT_TRUE(accepts(judge.name.c_str(), {0, 0}, {0, 0})) << judge.name;
    EXPECT_TRUE(accepts(judge.name.c_str(), {}, {})) << judge.name;
    EXPECT_FALSE(accepts(judge.name.c_str(), {1, 2}, {1, kNaN})) << judge.name;
    EXPECT_FALSE(accepts(judge.name.c_str(), {1, -kInfinity}, {1, kInfinity})) << judge.name;
    EXPECT_FALSE(accepts(judge.name.c_str(), {1, kNaN}, {1, 2})) << judge.name;
  }
}

/// The error of a routed scaling factor that is applied twice.
TEST(OtherJudges, CosineMissesWhatIsTwiceAsLarge) {
  Sample sample = correct(64, 32, DType::bf16);
  for (double& x : sample.got) x *= 2.0;

  EXPECT_TRUE(accepts("cosine-0.997", sample));
  EXPECT_TRUE(accepts("cosine-0.999", sample));
  EXPECT_FALSE(accepts("nmse-5e-4", sample));
  EXPECT_EQ(sample.judge().status, Status::fail);
}

/// The error of one token out of 4096 computed with the wrong sign.
TEST(OtherJudges, ScalarsMissOneNegatedRow) {
  Sample sample = correct(4096, 32, DType::bf16);
  for (int64_t c = 0; c < 32; ++c) sample.at(1000, c) = -sample.at(1000, c);

  for (const char* name : {"cosine-0.997", "cosine-0.999", "calc-diff-1e-3", "matched-0.95"})
    EXPECT_TRUE(accepts(name, sample)) << name;
  EXPECT_EQ(sample.judge().status, Status::fail);
}

/// With small values, any error, even of the sign, is within an absolute limit.
TEST(OtherJudges, AbsoluteGatesMissWhateverIsSmall) {
  Sample sample = correct(16, 32, DType::bf16);
  for (auto* lane : {&sample.exact, &sample.rounded, &sample.got, &sample.rounding, &sample.noise}) {
    for (double& x : *lane) x /= 512.0;
  }
  for (double& x : sample.got) x = -x;

  EXPECT_TRUE(accepts("max-abs-2.5e-2", sample));
  EXPECT_FALSE(accepts("symmetric-0.05", sample));
  EXPECT_EQ(sample.judge().status, Status::fail);
}

TEST(OtherJudges, UnknownNameIsRefusedWithTheNearest) {
  try {
    static_cast<void>(other_judge("nmse-1e-6"));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_NE(std::string(error.what()).find("nmse-1e-7"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace parity::compare

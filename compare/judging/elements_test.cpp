// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/elements.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/testing/sample_values.hpp"
#include "core/testing/numbers.hpp"

namespace parity::compare {
namespace {

using parity::tests::kInfinity;
using parity::tests::kNaN;

using ::testing::ElementsAre;
using tests::by_hand;
using tests::correct;

TEST(Elements, OfACorrectTapPass) {
  for (const DType dtype : {DType::bf16, DType::f32, DType::f64}) {
    const Record record = correct(40, 33, dtype).judge({dtype == DType::bf16, true, {}});

    EXPECT_EQ(record.status, Status::pass) << to_string(dtype) << ": " << record.reason;
    EXPECT_EQ(record.elements, 40 * 33);
    EXPECT_EQ(record.failed, 0);
    EXPECT_LE(record.budget_used, 1.0);
    EXPECT_EQ(record.bit_equal.equal, record.bit_equal.total);
  }
}

/// Returns the status of a tap {1, 2, …} whose first element has the given exact, oracle-rounded and recorded values.
Status first(double exact, double rounded, double got) {
  auto sample = by_hand({1, 2, 3, 4}, 4, 0.01, 0.0);
  sample.exact[0] = exact;
  sample.rounded[0] = rounded;
  sample.got[0] = got;
  return sample.judge().status;
}

TEST(Elements, MustBeNaNExactlyWhereTheReferenceIs) {
  EXPECT_EQ(first(1.0, 1.0, kNaN), Status::fail);
  EXPECT_EQ(first(kNaN, kNaN, 1.0), Status::fail);
  EXPECT_EQ(first(kNaN, kNaN, kInfinity), Status::fail);
  EXPECT_EQ(first(kInfinity, kInfinity, kNaN), Status::fail);
  EXPECT_EQ(first(kNaN, kNaN, kNaN), Status::pass);
}

TEST(Elements, MustBeInfiniteExactlyWhereTheReferenceIs) {
  EXPECT_EQ(first(-kInfinity, -kInfinity, -kInfinity), Status::pass);
  EXPECT_EQ(first(-kInfinity, -kInfinity, kInfinity), Status::fail);
  EXPECT_EQ(first(-kInfinity, -kInfinity, -3e38), Status::fail);
  EXPECT_EQ(first(1.0, 1.0, kInfinity), Status::fail);
}

TEST(Elements, MayOverflowOnlyWhereTheOracleDoes) {
  EXPECT_EQ(first(3.4e38, kInfinity, kInfinity), Status::pass);
  EXPECT_EQ(first(3.4e38, kInfinity, -kInfinity), Status::fail);
  EXPECT_EQ(first(3.4e38, 3.3895e38, kInfinity), Status::fail);
}

TEST(Elements, OfPrescribedOperationsMustHaveTheVeryBits) {
  auto sample = by_hand({1, 2, 3, -0.0}, 4, 0.01, 0.0);
  const ElementRules prescribed{false, true, {}, true};
  EXPECT_EQ(sample.judge(prescribed).status, Status::pass);

  sample.got[1] = 2.005;  // within the tolerance
  EXPECT_EQ(sample.judge().status, Status::pass);
  EXPECT_EQ(sample.judge(prescribed).failed, 1);
  EXPECT_THAT(sample.judge(prescribed).worst.index, ElementsAre(0, 1));

  sample.got[1] = 2;
  sample.got[3] = 0.0;
  EXPECT_EQ(sample.judge(prescribed).failed, 1);
}

TEST(Elements, OfOneRowWithOtherBitsPassOnlyWhereARowSharesARounding) {
  auto sample = correct(1, 64, DType::bf16);
  for (double& rounding : sample.rounding) rounding *= 8.0;
  sample.rounded[1] = round_to(DType::bf16, sample.exact[1] * (1.0 + 5.0 * 0x1p-8));  // the oracle errs, too
  sample.got[1] = sample.rounded[1];
  for (size_t i = 2; i < 64; i += 2) sample.got[i] = round_to(DType::bf16, sample.rounded[i] * (1.0 + 0x1p-6));
  ElementRules rules{true, true, {}};
  const auto reason = [&] { return sample.judge(rules).reason; };

  EXPECT_THAT(reason(), ::testing::Not(::testing::HasSubstr("without a near-tie"))) << "a sum of rounded terms";
  rules.shares_rounding = false;  // one token of a decode call, after an activation
  EXPECT_THAT(reason(), ::testing::HasSubstr("without a near-tie"));
}

TEST(Elements, OfFewColumnsMayBeOffByWhatBinary32IsWorthThere) {
  auto sample = correct(40, 32, DType::bf16);  // a table: the angle of column 5 is off by an ulp of binary32
  for (int64_t r = 0; r < 40; ++r) {
    const auto at = static_cast<size_t>(r * 32 + 5);
    sample.noise[at] = 0x1p-5 * std::abs(sample.exact[at]);
    sample.got[at] = round_to(DType::bf16, sample.exact[at] * (1.0 + 0x1p-5));
  }
  EXPECT_EQ(sample.judge({true, true, {}}).status, Status::pass) << sample.judge({true, true, {}}).reason;

  auto quiet = sample;  // with negligible binary32 noise, the same values are a bug of that column
  for (int64_t r = 0; r < 40; ++r) {
    const auto at = static_cast<size_t>(r * 32 + 5);
    quiet.noise[at] = 0x1p-11 * std::abs(quiet.exact[at]);
    quiet.rounding[at] = 0x1p-4 * std::abs(quiet.exact[at]);
    quiet.rounded[at] = round_to(DType::bf16, quiet.exact[at] * (1.0 - 0x1p-5));
  }
  EXPECT_EQ(quiet.judge({true, true, {}}).status, Status::fail);
}

TEST(Elements, ThatRoundElsewhereFailThoughEveryOneIsANearTie) {
  // Near-ties of two inner roundings explain the far neighbour; of one rounding, a quarter of the elements is too many.
  auto sample = correct(40, 32, DType::bf16);
  for (double& rounding : sample.rounding) rounding *= 3.0;
  auto few_rows = sample;
  for (int64_t i = 0; i < 40 * 32; i += 4) {
    const double rounded = sample.rounded[static_cast<size_t>(i)];
    const double step = std::copysign(1.01 * 0x1p-8 * rounded, sample.exact[static_cast<size_t>(i)] - rounded);
    sample.at(i / 32, i % 32) = round_to(DType::bf16, rounded + step);
    if (i / 32 < 6) few_rows.at(i / 32, i % 32) = round_to(DType::bf16, rounded + step);
  }
  const Record record = sample.judge({true, true, {}});

  EXPECT_EQ(record.status, Status::fail);
  EXPECT_THAT(record.reason, ::testing::HasSubstr("the candidate rounds at other points"));
  EXPECT_EQ(sample.judge({false, true, {}}).status, Status::pass) << "an implementation with roundings of its own";
  EXPECT_EQ(few_rows.judge({true, true, {}}).status, Status::pass) << "one flip may reach a row";
}

/// Judges binary32 sums of 32 rows of bf16 terms. In `flipped_rows` rows one rounding went the other way.
Record sums(int64_t flipped_rows) {
  auto sample = correct(32, 40, DType::f32);
  sample.working = DType::bf16;
  std::fill(sample.rounding.begin(), sample.rounding.end(), 0.008);
  for (int64_t i = 0; i < 32 * 40; ++i) {
    const auto at = static_cast<size_t>(i);
    const double shift = (i / 40 + i) % 2 == 0 ? 0.006 : -0.006;
    sample.rounded[at] = round_to(DType::f32, sample.exact[at] + shift);
    sample.got[at] = i / 40 < flipped_rows ? round_to(DType::f32, sample.exact[at]) : sample.rounded[at];
  }
  return sample.judge({true, true, {}});
}

TEST(Elements, OfBinary32SumsMayShowAFlipInsideAsARow) {
  EXPECT_EQ(sums(2).status, Status::pass) << sums(2).reason;
  EXPECT_EQ(sums(3).status, Status::fail) << "more rows than flips";
}

/// Judges 12 rows of 64 bf16 values with inner roundings. In `rows` rows, `elements` are two ulp off, unexplained.
Record flipped(int64_t rows, int64_t elements, double inner = 8.0) {
  auto sample = correct(12, 64, DType::bf16);
  for (double& rounding : sample.rounding) rounding *= inner;
  for (int64_t r = 0; r < rows; ++r) {
    int64_t changed = 0;
    for (int64_t c = 0; c < 64 && changed < elements; ++c) {
      const double rounded = sample.rounded[static_cast<size_t>(r * 64 + c)];
      if (std::abs(rounded) > 0.4) continue;  // within the tolerance that the row's largest element gives
      sample.at(r, c) = round_to(DType::bf16, rounded * (1.0 + (changed++ % 2 == 0 ? 3.0 : -3.0) * 0x1p-8));
    }
  }
  return sample.judge({true, true, {}});
}

TEST(Elements, RoundedAgainMayShowAFlipInsideAsARow) {
  EXPECT_EQ(flipped(1, 14).failed, 0) << flipped(1, 14).where;
  EXPECT_EQ(flipped(1, 14).status, Status::pass) << flipped(1, 14).reason;
  EXPECT_EQ(flipped(1, 30).status, Status::pass) << "all elements of a row share the flip";
  EXPECT_EQ(flipped(2, 7).status, Status::pass) << flipped(2, 7).reason;
  EXPECT_EQ(flipped(3, 7).status, Status::fail) << "more rows than flips";
}

TEST(Elements, NoneMayBeWrongAmongAHundredThousand) {
  auto sample = correct(1000, 100, DType::bf16);
  sample.at(417, 63) += 1.0;
  const Record record = sample.judge({true, true, {}});

  EXPECT_EQ(record.status, Status::fail);
  EXPECT_EQ(record.failed, 1);
  EXPECT_GT(record.budget_used, 1.0);
  EXPECT_THAT(record.worst.index, ElementsAre(417, 63));
  EXPECT_EQ(record.where, "the one in token 417, channel 63");
}

TEST(Elements, MayUseTheirBudgetAndNoMore) {
  auto sample = by_hand({1, 2, 3, 4}, 4, 0.01, 0.001);
  sample.rounded[3] = 4.01;  // the oracle's error is as large as allowed
  sample.got[0] = 1.0 + 0.0109;
  EXPECT_EQ(sample.judge().status, Status::pass);
  EXPECT_NEAR(sample.judge().budget_used, 0.0109 / 0.011, 1e-9);

  sample.got[0] = 1.0 + 0.0111;
  EXPECT_EQ(sample.judge().status, Status::fail);
}

TEST(Elements, ThatNothingRoundsMustBeExact) {
  auto sample = by_hand({1, 2, 3, 4}, 4, 0.0, 0.0);
  EXPECT_EQ(sample.judge().status, Status::pass);

  sample.got[1] = 2.0 + 0x1p-40;
  EXPECT_EQ(sample.judge().status, Status::fail);
  EXPECT_EQ(sample.judge().budget_used, kInfinity);
}

TEST(Elements, TwiceAsLargeFailAlthoughTheirCosineIsOne) {
  auto sample = correct(20, 20, DType::f32);
  for (double& x : sample.got) x *= 2.0;
  const Record record = sample.judge();

  EXPECT_EQ(record.status, Status::fail);
  EXPECT_NEAR(record.bias.scale, 2.0, 1e-6);
}

TEST(Elements, OfARowWithFlippedSignFailAndTheRowIsNamed) {
  auto sample = correct(20, 20, DType::bf16);
  for (int64_t c = 0; c < 20; ++c) sample.at(13, c) *= -1.0;
  const Record record = sample.judge({true, true, {}});

  EXPECT_EQ(record.status, Status::fail);
  EXPECT_EQ(record.where, "all 20 of token 13");
  ASSERT_FALSE(record.slices.empty());
  EXPECT_EQ(record.slices.front().axis, "row");
  EXPECT_EQ(record.slices.front().position, 13);
  EXPECT_EQ(record.slices.front().failed, 20);
}

TEST(Elements, ThatAreAllZeroFail) {
  for (const DType dtype : {DType::bf16, DType::f32, DType::f64}) {
    auto sample = correct(20, 20, dtype);
    sample.got.assign(sample.got.size(), 0.0);

    EXPECT_EQ(sample.judge({dtype == DType::bf16, true, {}}).status, Status::fail) << to_string(dtype);
  }
}

TEST(Elements, OfTwoSwappedRowsFail) {
  for (const DType dtype : {DType::bf16, DType::f32}) {
    auto sample = correct(20, 20, dtype);
    std::swap_ranges(sample.got.begin(), sample.got.begin() + 20, sample.got.begin() + 20);

    EXPECT_EQ(sample.judge().status, Status::fail) << to_string(dtype);
  }
}

TEST(Elements, BehindAnOpenDecisionMayDiffer) {
  auto sample = correct(20, 20, DType::bf16);
  sample.at(3, 5) += 1.0;
  ElementRules rules{true, true, std::vector<bool>(400, false)};
  EXPECT_EQ(sample.judge(rules).status, Status::fail);

  rules.tainted[3 * 20 + 5] = true;
  EXPECT_EQ(sample.judge(rules).status, Status::pass);

  sample.at(4, 5) += 1.0;
  EXPECT_EQ(sample.judge(rules).status, Status::fail);
  EXPECT_EQ(sample.judge(rules).failed, 1);
}

TEST(Elements, WorstOneIsDescribedWithItsBound) {
  auto sample = by_hand({1, 2, 3, 4}, 2, 0.01, 0.0);
  sample.rounded[2] = 3.01;
  sample.got[2] = 3.0625;
  const Record record = sample.judge();

  EXPECT_THAT(record.worst.index, ElementsAre(1, 0));
  EXPECT_EQ(record.worst.exact, 3.0);
  EXPECT_EQ(record.worst.rounded, round_to(DType::bf16, 3.01));
  EXPECT_EQ(record.worst.got, 3.0625);
  EXPECT_EQ(record.worst.ulp, 3.0);  // 3.015625 is the first neighbour of 3.0
  EXPECT_DOUBLE_EQ(record.budget_used, 0.0625 / record.terms.tolerance);
  EXPECT_DOUBLE_EQ(record.relative_error, 0.0625 / 4.0);
}

TEST(Elements, NeedNotBeThere) {
  const Record record = by_hand({}, 1, 0.0, 0.0).judge();

  EXPECT_EQ(record.status, Status::pass);
  EXPECT_EQ(record.elements, 0);
}

}  // namespace
}  // namespace parity::compare

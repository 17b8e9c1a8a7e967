// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rounding points: their precision, when they round, and what they add to a bound.
#include "core/rounding.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace parity {
namespace {

constexpr double kThird = 1.0 / 3.0;

Round point(Precision precision, DType working, bool active) { return {precision, working, active}; }

TEST(Round, ExactWalkPassesEveryPrecisionButBinary32) {
  const Rounding exact = Rounding::exact(DType::bf16);

  EXPECT_EQ(exact.point("linear", "out", Precision::exact)(kThird), kThird);
  EXPECT_EQ(exact.point("linear", "out", Precision::working)(kThird), kThird);
  EXPECT_EQ(exact.point("linear", "out", Precision::single)(kThird), kThird);
  EXPECT_EQ(exact.point("linear", "out", Precision::binary32)(kThird), static_cast<double>(1.0F / 3.0F));
}

TEST(Round, OracleWalkRoundsToTheTypeOfThePoint) {
  const Rounding oracle = Rounding::oracle(DType::bf16);

  EXPECT_EQ(oracle.point("linear", "out", Precision::exact)(kThird), kThird);
  EXPECT_EQ(oracle.point("linear", "out", Precision::working)(kThird), 0x1.56p-2);  // 0.33398
  EXPECT_EQ(oracle.point("linear", "out", Precision::single)(kThird), static_cast<double>(1.0F / 3.0F));
}

TEST(Round, WorkingRoundsToBinary32FirstAndThenToTheWorkingType) {
  // Just above the tie 1 + 2^-8 of bf16: rounded once it goes up; binary32 loses the excess and the tie goes to even.
  const double x = 1.0 + 0x1p-8 + 0x1p-40;

  EXPECT_EQ(round_to(DType::bf16, x), 1.0 + 0x1p-7);
  EXPECT_EQ(point(Precision::working, DType::bf16, true)(x), 1.0);
  // For f16 the tie is at 1 + 2^-11.
  EXPECT_EQ(round_to(DType::f16, 1.0 + 0x1p-11 + 0x1p-40), 1.0 + 0x1p-10);
  EXPECT_EQ(point(Precision::working, DType::f16, true)(1.0 + 0x1p-11 + 0x1p-40), 1.0);
}

TEST(Round, Bf16ShortcutAgreesWithTheGeneralRounding) {
  const Random random(1, "bf16");
  const Round round = point(Precision::working, DType::bf16, true);
  for (uint64_t i = 0; i < 100000; ++i) {
    const double x = std::ldexp(random.uniform(2 * i) - 0.5, static_cast<int>(random.below(2 * i + 1, 290)) - 150);

    ASSERT_EQ(round(x), round_to(DType::bf16, static_cast<double>(static_cast<float>(x)))) << x;
  }
}

TEST(Round, OverflowInfinityAndNaNPass) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Round round = point(Precision::working, DType::bf16, true);

  EXPECT_EQ(round(0x1.ffp127), infinity);  // the tie above the largest bf16
  EXPECT_EQ(round(-1e300), -infinity);     // beyond binary32 already
  EXPECT_EQ(round(infinity), infinity);
  EXPECT_TRUE(std::isnan(round(std::nan(""))));
}

TEST(Round, Binary64CaptureRoundsOnlyAtBinary32Points) {
  EXPECT_EQ(point(Precision::working, DType::f64, true)(kThird), kThird);
  EXPECT_EQ(point(Precision::single, DType::f64, true)(kThird), kThird);
  EXPECT_EQ(point(Precision::binary32, DType::f64, true)(kThird), static_cast<double>(1.0F / 3.0F));
  EXPECT_EQ(point(Precision::single, DType::f64, true).unit(), 0x1p-53);
}

TEST(Round, UnitIsThatOfTheTarget) {
  EXPECT_EQ(point(Precision::exact, DType::bf16, true).unit(), 0.0);
  EXPECT_EQ(point(Precision::working, DType::bf16, true).unit(), 0x1p-8);
  EXPECT_EQ(point(Precision::single, DType::bf16, true).unit(), 0x1p-24);
  EXPECT_EQ(point(Precision::binary32, DType::f64, true).target(), DType::f32);
}

TEST(Round, BoundGainsTheRoundingOfTheWorkingTypeAndFourUnitsOfBinary32) {
  const Bounded x = point(Precision::working, DType::bf16, false)(Bounded(3.0, 0.5, 0.25));

  EXPECT_EQ(x.value, 3.0);  // the exact value is unchanged
  EXPECT_EQ(x.rounding, 0.5 + 0x1p-8 * 3.75);
  EXPECT_EQ(x.noise, 0.25 + 4.0 * 0x1p-24 * 3.75);
}

TEST(Round, BoundOfASinglePointIsNoiseOnly) {
  const Bounded x = point(Precision::single, DType::bf16, false)(Bounded(-3.0, 0.5, 0.25));

  EXPECT_EQ(x.rounding, 0.5);
  EXPECT_EQ(x.noise, 0.25 + 4.0 * 0x1p-24 * 3.75);
}

TEST(Round, BoundNeverFallsBelowHalfTheSubnormalSpacing) {
  const Bounded x = point(Precision::working, DType::f16, false)(Bounded(0.0));

  EXPECT_EQ(x.rounding, 0x1p-25);  // f16 subnormals are 2^-24 apart
}

TEST(Round, ExactPointLeavesTheBoundAlone) {
  const Bounded x = point(Precision::exact, DType::bf16, true)(Bounded(kThird, 0.5, 0.25));

  EXPECT_EQ(x.value, kThird);
  EXPECT_EQ(x.error(), 0.75);
}

TEST(Round, BoundCoversTheRoundingThatTheOracleMakes) {
  const Random random(2, "covers");
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    double largest = 0.0;
    for (uint64_t i = 0; i < 20000; ++i) {
      // Exponents -40 to 14: these include subnormals of f16, but not its overflow.
      const double x = std::ldexp(random.uniform(2 * i) - 0.5, static_cast<int>(random.below(2 * i + 1, 55)) - 40);
      const double error = std::abs(point(Precision::working, dtype, true)(x) - x);
      const double bound = point(Precision::working, dtype, false)(Bounded(x)).error();
      ASSERT_LE(error, bound) << to_string(dtype) << " " << x;
      largest = std::max(largest, error / bound);
    }
    // f32 has one unit of rounding and four of noise; the noise of narrower types is negligible.
    EXPECT_GT(largest, dtype == DType::f32 ? 0.19 : 0.97) << to_string(dtype);
  }
}

TEST(Constant, HasTheErrorThatItsRoundingMakes) {
  const Round single = Rounding::exact(DType::bf16).point("c", "p", Precision::single);
  const Round working = Rounding::exact(DType::bf16).point("c", "p", Precision::working);

  EXPECT_EQ(constant<Bounded>(7.0, working).error(), 0.0);
  EXPECT_EQ(constant<Bounded>(std::numeric_limits<double>::infinity(), working).error(), 0.0);
  EXPECT_EQ(constant<Bounded>(1.3, working).value, 1.3);
  EXPECT_EQ(constant<Bounded>(1.3, working).rounding, 1.3 - 1.296875);
  EXPECT_EQ(constant<Bounded>(1.3, single).noise, 1.3 - static_cast<double>(1.3F));
  EXPECT_EQ(constant<double>(1.3, working), 1.3);
  EXPECT_EQ(constant<double>(1.3, Rounding::oracle(DType::bf16).point("c", "p", Precision::working)), 1.296875);
}

TEST(Rounding, TableOverridesTheDefaultOfThatPointOnly) {
  const RoundingTable table{{"swiglu.product", Precision::single}};
  const Rounding oracle = Rounding::oracle(DType::bf16, table);

  EXPECT_EQ(oracle.point("swiglu", "product", Precision::working).precision, Precision::single);
  EXPECT_EQ(oracle.point("swiglu", "out", Precision::working).precision, Precision::working);
  EXPECT_EQ(oracle.point("moe_experts", "product", Precision::working).precision, Precision::working);
}

TEST(Rounding, PrecisionsHaveNames) {
  EXPECT_STREQ(to_string(Precision::exact), "exact");
  EXPECT_STREQ(to_string(Precision::working), "working");
  EXPECT_STREQ(to_string(Precision::single), "single");
  EXPECT_STREQ(to_string(Precision::binary32), "binary32");
}

}  // namespace
}  // namespace parity

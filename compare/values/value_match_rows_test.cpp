// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rows that are multiplied by factors of their own, as a wrong sum of a row leaves them.
#include <cmath>

#include <gmock/gmock.h>

#include "compare/testing/tap_values.hpp"

namespace parity::compare {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tests::I;
using tests::Tap;

double factor_of(uint64_t row, double spread) { return 1.0 + spread * (2.0 * Random(5, "rows").uniform(row) - 1.0); }

TEST(ScaledRows, EachByItsOwnFactorIsAWrongSumOrScale) {
  for (const DType type : {DType::f32, DType::bf16}) {
    Tap tap(type);
    tap.changed([&](double x, I b, I s, I, I) {
      const auto row = static_cast<uint64_t>(b * Tap::S + s);
      return round_to(type, x * (row == 0 ? 0.93 : row == 1 ? 1.07 : factor_of(row, 0.06)));
    });

    const auto match = tap.match();

    ASSERT_TRUE(match) << to_string(type);
    EXPECT_EQ(match->kind, ValueKind::scaled_rows);
    EXPECT_EQ(match->axis, "AD");
    EXPECT_THAT(match->detail, HasSubstr("each row of AD is multiplied by its own factor, 0.93"));
    EXPECT_THAT(match->detail, HasSubstr("..1.07"));
    EXPECT_THAT(match->detail, HasSubstr("(a sum or scale per row is wrong)"));
  }
}

TEST(ScaledRows, AreThoseOfHeadsIfEachHeadHasItsOwn) {
  Tap tap(DType::f32);
  tap.changed([&](double x, I b, I s, I a, I) {
    return round_to(DType::f32, x * factor_of(static_cast<uint64_t>((b * Tap::S + s) * Tap::A + a), 0.3));
  });

  EXPECT_THAT(tap.words(), HasSubstr("scaled_rows D: each row of D is multiplied by its own factor"));
}

TEST(ScaledRows, NameTheRowsIfOthersAreRight) {
  Tap tap(DType::f32);
  tap.changed([&](double x, I b, I s, I, I) {
    return s < 4 ? x : round_to(DType::f32, x * factor_of(static_cast<uint64_t>(b * Tap::S + s), 0.3));
  });

  EXPECT_THAT(tap.words(), HasSubstr("scaled_rows AD: tokens 4..5 (to the end): each row of AD is multiplied"));
}

/// A norm whose sum of squares leaves out the last `dropped` elements of each row.
Tap norm_without_tail(DType type, I dropped) {
  Tap tap(type);
  constexpr I kWidth = Tap::A * Tap::D;
  for (I row = 0; row < Tap::B * Tap::S; ++row) {
    double all = 0.0, some = 0.0;
    for (I i = 0; i < kWidth; ++i) {
      const double x = tap.exact[static_cast<size_t>(row * kWidth + i)];
      all += x * x;
      some += i < kWidth - dropped ? x * x : 0.0;
    }
    for (I i = 0; i < kWidth; ++i) {
      const auto at = static_cast<size_t>(row * kWidth + i);
      const double x = tap.exact[at];
      tap.exact[at] = x / std::sqrt(all / kWidth);
      tap.rounded[at] = round_to(type, tap.exact[at]);
      tap.got[at] = round_to(type, x / std::sqrt(some / kWidth));
      tap.allowed[at] = 2.0 * unit_roundoff(type) * std::abs(tap.exact[at]);
    }
  }
  return tap;
}

TEST(ScaledRows, AreWhatASumOfSquaresWithoutItsTailLeaves) {
  EXPECT_THAT(norm_without_tail(DType::f32, 1).words(), HasSubstr("scaled_rows AD: "));
  EXPECT_THAT(norm_without_tail(DType::f32, 7).words(), HasSubstr("scaled_rows AD: "));
  EXPECT_THAT(norm_without_tail(DType::bf16, 7).words(), HasSubstr("scaled_rows AD: "));
}

TEST(ScaledRows, OfOneFactorAreScaled) {
  Tap tap(DType::f32);
  tap.changed([](double x, I, I, I, I) { return round_to(DType::f32, 1.3 * x); });

  EXPECT_EQ(tap.words(), "scaled : every element times 1.3");
}

TEST(ScaledRows, WhoseFactorsDifferByRoundingsAreNegatedOrScaled) {
  for (const double factor : {-1.0, 0.25}) {
    Tap tap(DType::f32);
    tap.changed([&](double x, I b, I s, I, I) {
      const double roundings = 2.0 * static_cast<double>((b * Tap::S + s) % 2);
      return round_to(DType::f32, factor * x * (1.0 + roundings * unit_roundoff(DType::f32)));
    });
    for (size_t i = 0; i < tap.exact.size(); ++i)
      tap.allowed[i] = 8.0 * unit_roundoff(DType::f32) * std::abs(tap.exact[i]);

    EXPECT_EQ(tap.words(), factor < 0.0 ? "negated : every element is negated" : "scaled : every element times 1/4");
  }
}

TEST(ScaledRows, AreNotNamedForRoundingsOfARow) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Tap tap(DType::bf16, seed);
    tap.changed([&](double x, I b, I s, I, I) {
      const double roundings = 7.0 * Random(seed, "few").uniform(static_cast<uint64_t>(b * Tap::S + s));
      return round_to(DType::bf16, x * (1.0 + roundings * unit_roundoff(DType::bf16)));
    });

    EXPECT_THAT(tap.words(), Not(HasSubstr("scaled_rows"))) << seed;
  }
}

TEST(ScaledRows, AreNotNamedIfHalfOfEachRowIsRight) {
  Tap tap(DType::f32);
  tap.changed([&](double x, I b, I s, I a, I d) {
    const double factor = factor_of(static_cast<uint64_t>(b * Tap::S + s), 0.3);
    return (a + d) % 2 == 0 ? x : round_to(DType::f32, x * factor);
  });

  EXPECT_THAT(tap.words(), Not(HasSubstr("scaled_rows")));
}

TEST(ScaledRows, AreNotNamedForValuesThatHardlyVary) {
  Tap tap(DType::f32);
  for (size_t i = 0; i < tap.exact.size(); ++i) {
    tap.exact[i] = 1.0 + 0.01 * tap.exact[i];
    tap.rounded[i] = round_to(DType::f32, tap.exact[i]);
    tap.allowed[i] = 0.01;
    tap.got[i] = round_to(DType::f32, tap.rounded[i] + factor_of(i / 32, 0.5));  // a sum fits as well as a product
  }

  EXPECT_THAT(tap.words(), Not(HasSubstr("scaled_rows")));
}

}  // namespace
}  // namespace parity::compare

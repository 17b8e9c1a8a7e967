// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Quantising a cache by hand: ties, limits, scales of heads, and the bound at a boundary between two codes.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TestCall quantise(const std::vector<double>& x, const std::vector<double>& scale) {
  const auto heads = static_cast<int64_t>(scale.size());
  const Shape shape{1, heads, 1, static_cast<int64_t>(x.size()) / heads};
  TestCall call("cache_quantise");
  call.in("x", shape, x).in("scale", {heads}, scale).out("codes", shape);
  return call;
}

TEST(CacheQuantise, EachHeadIsDividedByItsScale) {
  EXPECT_THAT(quantise({3, 6, 3, 6}, {3, 0.75}).exact()["codes"], ElementsAre(1, 2, 4, 8));
}

TEST(CacheQuantise, TiesGoToTheEvenCode) {
  // From 16 on codes are 2 apart: 17 is between the fractions 0 and 1, 19 between 1 and 2.
  EXPECT_THAT(quantise({17, 19, -17, -19}, {1}).exact()["codes"], ElementsAre(16, 20, -16, -20));
}

TEST(CacheQuantise, NumbersBeyondTheLargestCodeBecomeIt) {
  EXPECT_THAT(quantise({448, 464, 465, 1e30, -1e30, kInfinity, -kInfinity}, {1}).exact()["codes"],
              ElementsAre(448, 448, 448, 448, -448, 448, -448));
}

TEST(CacheQuantise, BelowTheNormalCodesTheyAreMultiplesOfTheSmallest) {
  const double least = 0x1p-9;

  EXPECT_THAT(quantise({least, 0.4 * least, 0.5 * least, 1.5 * least, 7.5 * least}, {1}).exact()["codes"],
              ElementsAre(least, 0, 0, 2 * least, 8 * least));
}

TEST(CacheQuantise, NanAndTheSignOfZeroStay) {
  const auto codes = quantise({std::nan(""), -0.0, 0.0}, {0.7}).exact()["codes"];

  EXPECT_TRUE(std::isnan(codes[0]));
  EXPECT_TRUE(std::signbit(codes[1]));
  EXPECT_FALSE(std::signbit(codes[2]));
}

TEST(CacheQuantise, DividesInBinary32AlsoWhereTheWorkingTypeIsNarrow) {
  // 8.5625 / 0.5029 is 17.026, nearer to 18 than to 16. In bf16 the quotient is 17: a tie, which goes to 16.
  const auto codes = quantise({8.5625}, {0.5029}).oracle(DType::bf16)["codes"];

  EXPECT_THAT(codes, ElementsAre(18));
}

TEST(CacheQuantise, OnlyABoundaryBetweenTwoCodesHasABound) {
  const auto bounds = quantise({17 * 0.7, 17.01 * 0.7, 500}, {0.7}).bounded();

  EXPECT_THAT(std::vector<double>(bounds.noise.at("codes").f64(), bounds.noise.at("codes").f64() + 3),
              ElementsAre(2, 0, 0));
  EXPECT_THAT(std::vector<double>(bounds.rounding.at("codes").f64(), bounds.rounding.at("codes").f64() + 3), Each(0));
}

TEST(CacheQuantise, AScaleThatCannotDivideIsRefused) {
  for (const double scale : {0.0, -1.0, kInfinity, std::nan("")}) {
    ErrorCode code{};
    const TestCall call = quantise({1}, {scale});

    EXPECT_THAT(error_of(code, [&] { static_cast<void>(call.exact()); }), ::testing::HasSubstr("scale of head 0"));
    EXPECT_EQ(code, ErrorCode::schema);
  }
}

TEST(CacheQuantise, AnotherNumberOfScalesIsRefused) {
  ErrorCode code{};
  TestCall call("cache_quantise");
  call.in("x", {1, 2, 1, 1}, {1, 2}).in("scale", {1}, {1}).out("codes", {1, 2, 1, 1});

  EXPECT_THAT(error_of(code, [&] { static_cast<void>(call.exact()); }), ::testing::HasSubstr("1 scales for 2"));
}

}  // namespace
}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Names and sizes of the element types, rounding at the boundaries, integers, distances in ulps.
#include "core/dtype.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace parity {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::array kAll{DType::f64,  DType::f32, DType::f16, DType::bf16, DType::e4m3fn,
                          DType::e5m2, DType::i64, DType::i32, DType::u8,   DType::boolean};
constexpr std::array kNarrow{DType::f16, DType::bf16, DType::e4m3fn, DType::e5m2};

template <class T>
T stored(DType dtype, double x) {
  std::array<std::byte, 8> bytes{};
  store_element(dtype, bytes.data(), x);
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

TEST(DType, NamesAreReadBack) {
  for (const DType dtype : kAll) EXPECT_EQ(parse_dtype(to_string(dtype)), dtype);
  EXPECT_EQ(parse_dtype("BF16"), DType::bf16);  // as safetensors writes it
  EXPECT_EQ(parse_dtype("F8_E4M3"), DType::e4m3fn);
  EXPECT_EQ(parse_dtype("F8_E5M2"), DType::e5m2);
  EXPECT_EQ(parse_dtype("BOOL"), DType::boolean);
  EXPECT_EQ(parse_dtype("bfloat16"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
}

TEST(DType, SizesAreThoseOfTheFiles) {
  const std::vector<int64_t> expected{8, 4, 2, 2, 1, 1, 8, 4, 1, 1};

  for (size_t i = 0; i < kAll.size(); ++i) EXPECT_EQ(size_of(kAll[i]), expected[i]) << to_string(kAll[i]);
  for (size_t i = 0; i < kAll.size(); ++i) EXPECT_EQ(is_float(kAll[i]), i < 6) << to_string(kAll[i]);
}

TEST(DType, UnitRoundoffIsHalfTheSpacingAtOne) {
  EXPECT_EQ(unit_roundoff(DType::f64), 0x1p-53);
  EXPECT_EQ(unit_roundoff(DType::f32), 0x1p-24);
  EXPECT_EQ(unit_roundoff(DType::f16), 0x1p-11);
  EXPECT_EQ(unit_roundoff(DType::bf16), 0x1p-8);
  EXPECT_EQ(unit_roundoff(DType::e4m3fn), 0x1p-4);
  EXPECT_EQ(unit_roundoff(DType::e5m2), 0x1p-3);
}

TEST(DType, SmallestNormalsAreThoseOfTheFormats) {
  EXPECT_EQ(smallest_normal(DType::f64), std::numeric_limits<double>::min());
  EXPECT_EQ(smallest_normal(DType::f32), std::numeric_limits<float>::min());
  EXPECT_EQ(smallest_normal(DType::f16), 0x1p-14);
  EXPECT_EQ(smallest_normal(DType::e4m3fn), 0x1p-6);
}

TEST(DType, IntegersHaveNoFloatingPointFormat) {
  EXPECT_THROW(static_cast<void>(format_of(DType::i64)), Error);
  EXPECT_THROW(static_cast<void>(unit_roundoff(DType::boolean)), Error);
}

TEST(DType, TiesGoToTheEvenNeighbourAndNothingElseDoes) {
  for (const DType dtype : kNarrow) {
    std::array<std::byte, 8> bytes{};
    const double largest = format_of(dtype).largest;
    int pairs = 0;
    for (uint32_t code = 0;; ++code, ++pairs) {
      std::memcpy(bytes.data(), &code, sizeof code);
      const double below = load_element(dtype, bytes.data());
      if (below == largest) break;
      const uint32_t next = code + 1;
      std::memcpy(bytes.data(), &next, sizeof next);
      const double above = load_element(dtype, bytes.data());
      const double middle = (below + above) / 2;

      ASSERT_EQ(round_to(dtype, middle), code % 2 == 0 ? below : above) << to_string(dtype) << " " << code;
      ASSERT_EQ(round_to(dtype, std::nextafter(middle, 0.0)), below) << to_string(dtype) << " " << code;
      ASSERT_EQ(round_to(dtype, std::nextafter(middle, kInfinity)), above) << to_string(dtype) << " " << code;
      ASSERT_EQ(round_to(dtype, -middle), -round_to(dtype, middle)) << to_string(dtype) << " " << code;
    }
    EXPECT_GT(pairs, 100) << to_string(dtype);  // the loop visited pairs of this format
  }
}

TEST(DType, OverflowBecomesInfinityFromHalfAnUlpAboveTheLargest) {
  struct Case {
    DType dtype;
    double largest, boundary;  // boundary: largest + half an ulp, a tie whose even neighbour is infinity
  };
  for (const auto& [dtype, largest, boundary] :
       {Case{DType::f16, 65504.0, 65520.0}, Case{DType::bf16, 0x1.fep127, 0x1.ffp127},
        Case{DType::e5m2, 57344.0, 61440.0}, Case{DType::f32, 0x1.fffffep127, 0x1.ffffffp127}}) {
    EXPECT_EQ(format_of(dtype).largest, largest);
    EXPECT_EQ(round_to(dtype, std::nextafter(boundary, 0.0)), largest) << to_string(dtype);
    EXPECT_EQ(round_to(dtype, boundary), kInfinity) << to_string(dtype);
    EXPECT_EQ(round_to(dtype, -boundary), -kInfinity) << to_string(dtype);
    EXPECT_EQ(round_to(dtype, kInfinity), kInfinity) << to_string(dtype);
  }
}

TEST(DType, E4m3fnHasNoInfinityAndOverflowsToNaN) {
  // Spacing at 448 is 32: the tie 464 goes to the even significand 448, 480 would be the NaN code.
  EXPECT_EQ(round_to(DType::e4m3fn, 464.0), 448.0);
  EXPECT_TRUE(std::isnan(round_to(DType::e4m3fn, std::nextafter(464.0, 500.0))));
  EXPECT_TRUE(std::isnan(round_to(DType::e4m3fn, -kInfinity)));
  EXPECT_EQ(stored<uint8_t>(DType::e4m3fn, 1e9), 0x7F);
  EXPECT_EQ(stored<uint8_t>(DType::e4m3fn, -kInfinity), 0xFF);
}

TEST(DType, SubnormalsRoundOnTheirFixedGrid) {
  EXPECT_EQ(round_to(DType::f16, 0x1p-25), 0.0);             // tie between 0 and 2^-24: even is 0
  EXPECT_EQ(round_to(DType::f16, 0x1.8p-24), 0x1p-23);       // tie between 1 and 2 times 2^-24
  EXPECT_EQ(round_to(DType::f16, 0x1.000002p-25), 0x1p-24);  // just above the tie
  EXPECT_EQ(round_to(DType::bf16, 0x1p-134), 0.0);
  EXPECT_EQ(round_to(DType::bf16, 0x1.8p-133), 0x1p-132);
  EXPECT_EQ(round_to(DType::f32, 0x1p-150), 0.0);
  EXPECT_TRUE(std::signbit(round_to(DType::bf16, -0x1p-140)));  // rounds up to minus zero
}

TEST(DType, NaNAndSignedZeroPassThroughEveryFormat) {
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::e4m3fn, DType::e5m2}) {
    EXPECT_TRUE(std::isnan(round_to(dtype, kNaN))) << to_string(dtype);
    EXPECT_TRUE(std::signbit(round_to(dtype, -0.0))) << to_string(dtype);
    EXPECT_FALSE(std::signbit(round_to(dtype, 0.0))) << to_string(dtype);
  }
}

TEST(DType, F64IsNeverRounded) {
  for (const double x : {1.0 + 0x1p-52, 5e-324, 1.7e308, kInfinity}) EXPECT_EQ(round_to(DType::f64, x), x);
}

TEST(DType, IntegersTruncateTowardsZero) {
  EXPECT_EQ(stored<int64_t>(DType::i64, -2.9), -2);
  EXPECT_EQ(stored<int32_t>(DType::i32, 2.9), 2);
  EXPECT_EQ(stored<uint8_t>(DType::u8, 255.9), 255);
}

TEST(DType, BooleansAreZeroOrOne) {
  EXPECT_EQ(stored<uint8_t>(DType::boolean, 0.0), 0);
  EXPECT_EQ(stored<uint8_t>(DType::boolean, 256.0), 1);  // although its low byte is 0
  EXPECT_EQ(stored<uint8_t>(DType::boolean, 0.25), 1);
}

TEST(UlpDistance, CountsRepresentableNumbersBetween) {
  EXPECT_EQ(ulp_distance(DType::bf16, 1.0, 1.0 + 0x1p-7), 1.0);
  EXPECT_EQ(ulp_distance(DType::bf16, 1.0, 1.0 - 0x1p-8), 1.0);  // the spacing halves below a power of two
  EXPECT_EQ(ulp_distance(DType::f16, 1.0, 2.0), 1024.0);
  EXPECT_EQ(ulp_distance(DType::f32, 2.0, 1.0), 0x1p23);
  EXPECT_EQ(ulp_distance(DType::e4m3fn, 1.0, 1.375), 3.0);
  EXPECT_EQ(ulp_distance(DType::bf16, 0x1.fep127, kInfinity), 1.0);
}

TEST(UlpDistance, CountsSingleUlpsOfF64) {  // was 0: the ordinals, beyond 2^53, were subtracted as doubles
  EXPECT_EQ(ulp_distance(DType::f64, 1.0, 1.0 + 0x1p-52), 1.0);
  EXPECT_EQ(ulp_distance(DType::f64, -1.0, -1.0 - 0x1p-50), 4.0);
  EXPECT_EQ(ulp_distance(DType::f64, -5e-324, 5e-324), 2.0);
  EXPECT_EQ(ulp_distance(DType::f64, -kInfinity, kInfinity), 2.0 * 0x7FFp52);  // does not overflow 64 bits
}

TEST(UlpDistance, CrossesZeroOnceThroughBothZeros) {
  EXPECT_EQ(ulp_distance(DType::f16, 0.0, -0.0), 0.0);
  EXPECT_EQ(ulp_distance(DType::f16, -0x1p-24, 0x1p-24), 2.0);
  EXPECT_EQ(ulp_distance(DType::bf16, -1.0, 1.0), 2.0 * 0x3F80);
}

TEST(UlpDistance, RoundsBothBeforeItCounts) {
  EXPECT_EQ(ulp_distance(DType::bf16, 1.0, 1.001), 0.0);
  EXPECT_EQ(ulp_distance(DType::bf16, 1.0, 1.005), 1.0);
}

TEST(UlpDistance, NaNIsAtNoFiniteDistanceFromANumber) {
  EXPECT_EQ(ulp_distance(DType::f32, kNaN, kNaN), 0.0);
  EXPECT_EQ(ulp_distance(DType::f32, kNaN, 1.0), kInfinity);
  EXPECT_EQ(ulp_distance(DType::f32, kInfinity, kNaN), kInfinity);
}

}  // namespace
}  // namespace parity

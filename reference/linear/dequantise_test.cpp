// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Decoding of quantised matrices by hand, then every code with every exponent and many factors against the formula in
// integers: sign, exponent and mantissa bits of the code, scaled by ldexp.
#include <bit>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

constexpr int kCodes = 256;

TestCall decode(const Shape& shape, const std::vector<double>& codes, const Shape& grid,
                const std::vector<double>& scales, bool exponents) {
  TestCall call("dequantise");
  call.in("codes", shape, codes).in("scales", grid, scales).param("exponents", exponents).out("out", shape);
  return call;
}

/// The number that an e4m3 code represents.
double number_of(int code) {
  const int exponent = (code >> 3) & 15;
  const int mantissa = code & 7;
  const double sign = (code & 128) != 0 ? -1.0 : 1.0;
  if ((code & 127) == 127) return std::numeric_limits<double>::quiet_NaN();
  return sign * (exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10));
}

std::vector<double> all_codes() {
  std::vector<double> numbers;
  for (int code = 0; code < kCodes; ++code) numbers.push_back(number_of(code));
  return numbers;
}

/// x rounded to bf16, nearest even, computed on the bits of the binary32 number.
double bf16_of(float x) {
  if (std::isnan(x)) return std::numeric_limits<double>::quiet_NaN();
  const auto bits = std::bit_cast<uint32_t>(x);
  if (std::isinf(x)) return static_cast<double>(x);
  return static_cast<double>(std::bit_cast<float>((bits + 0x7FFFU + ((bits >> 16) & 1U)) & 0xFFFF0000U));
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

TEST(Dequantise, EveryBlockHasItsScale) {
  // Blocks of one row and two columns.
  const TestCall call = decode({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}, {2, 2}, {1, 10, 100, 0.5}, false);

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 2, 30, 40, 500, 600, 3.5, 4));
}

TEST(Dequantise, BlocksSpanRowsToo) {
  EXPECT_THAT(decode({4, 2}, {1, 1, 1, 1, 1, 1, 1, 1}, {2, 1}, {3, 5}, false).exact()["out"],
              ElementsAre(3, 3, 3, 3, 5, 5, 5, 5));
}

TEST(Dequantise, ExponentsArePowersOfTwoAround127) {
  EXPECT_THAT(decode({1, 3}, {3, 3, 3}, {1, 3}, {127, 130, 120}, true).exact()["out"], ElementsAre(3, 24, 3 * 0x1p-7));
}

TEST(Dequantise, WithoutScalesItIsTheStoredParameter) {
  TestCall call("dequantise");
  call.in("codes", {1, 2}, {1.25, 1 + 0x1p-9}).out("out", {1, 2});

  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(1.25, 1));
  EXPECT_THAT(call.oracle(DType::f32)["out"], ElementsAre(1.25, 1 + 0x1p-9));
}

TEST(Dequantise, RoundsTheProductToBinary32AndThenToT) {
  // 15 * (1 + 2^-23) = 15 + 15 * 2^-23: binary32 is spaced 2^-20 there, so 15 + 2 * 2^-20.
  const double scale = 1 + 0x1p-23;
  const TestCall call = decode({1, 1}, {15}, {1, 1}, {scale}, false);

  EXPECT_THAT(call.exact()["out"], ElementsAre(15 * scale));
  EXPECT_THAT(call.oracle(DType::f32)["out"], ElementsAre(static_cast<double>(15.0F * static_cast<float>(scale))));
  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(15));
}

TEST(Dequantise, GridThatDoesNotDivideIsRefused) {
  ErrorCode code{};
  const TestCall call = decode({3, 2}, {1, 1, 1, 1, 1, 1}, {2, 1}, {1, 1}, false);

  EXPECT_THAT(error_of(code, [&] { static_cast<void>(call.exact()); }), ::testing::HasSubstr("3 x 2 codes"));
  EXPECT_EQ(code, ErrorCode::schema);
}

TEST(Dequantise, EveryCodeWithEveryExponentIsExact) {  // 2^128 is infinite in binary32, and 0 times it is NaN
  std::vector<double> codes;
  std::vector<double> scales;
  for (int exponent = 0; exponent < kCodes; ++exponent) {
    const auto row = all_codes();
    codes.insert(codes.end(), row.begin(), row.end());
    scales.push_back(exponent);
  }
  const TestCall call = decode({kCodes, kCodes}, codes, {kCodes, 1}, scales, true);
  const auto single = call.oracle(DType::f32)["out"];
  const auto brain = call.oracle(DType::bf16)["out"];

  int wrong = 0;
  for (size_t i = 0; i < codes.size(); ++i) {
    const int exponent = static_cast<int>(i) / kCodes;
    const double product =
        exponent == 255 ? codes[i] * std::numeric_limits<double>::infinity() : std::ldexp(codes[i], exponent - 127);
    const auto expected = static_cast<float>(product);
    wrong += same(single[i], static_cast<double>(expected)) && same(brain[i], bf16_of(expected)) ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0) << "of " << codes.size();
}

/// Binary32 numbers of every kind: random bits, hence all exponents, and numbers at the limits of the formats.
std::vector<double> many_factors(int count) {
  constexpr double kTiny = 0x1p-149;
  std::vector<double> factors{0.0,
                              -0.0,
                              kTiny,
                              3 * kTiny,
                              0x1p-126,
                              0x1p-126 - kTiny,
                              0x1.fffffep127,
                              -0x1.fffffep127,
                              0x1p119,
                              1.0,
                              -1.0,
                              1 + 0x1p-23,
                              std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()};
  const Random random(11, "factors");
  for (int i = 0; static_cast<int>(factors.size()) < count; ++i)
    factors.push_back(
        static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(random.bits(static_cast<uint64_t>(i))))));
  return factors;
}

TEST(Dequantise, EveryCodeWithManyFactorsIsExact) {
  constexpr int kFactors = 4096;  // one row each; the test of the checkpoint reader has more
  const auto scales = many_factors(kFactors);
  std::vector<double> codes;
  for (int row = 0; row < kFactors; ++row) {
    const auto numbers = all_codes();
    codes.insert(codes.end(), numbers.begin(), numbers.end());
  }
  const TestCall call = decode({kFactors, kCodes}, codes, {kFactors, 1}, scales, false);
  const auto single = call.oracle(DType::f32)["out"];
  const auto brain = call.oracle(DType::bf16)["out"];

  int wrong = 0;
  for (size_t i = 0; i < codes.size(); ++i) {
    const auto expected = static_cast<float>(codes[i] * scales[i / kCodes]);  // 28 bits: exact in binary64
    wrong += same(single[i], static_cast<double>(expected)) && same(brain[i], bf16_of(expected)) ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0) << "of " << codes.size();
}

}  // namespace
}  // namespace parity::reference

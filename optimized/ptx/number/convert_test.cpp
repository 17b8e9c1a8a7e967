// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// cvt: values worked out by hand from PTX ISA 9.7.9.21.
#include "optimized/ptx/number/convert.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "core/dtype.hpp"
#include "core/error.hpp"
#include "optimized/ptx/number/native.hpp"

namespace parity::ptx {
namespace {

using Mode = RoundingMode;

uint64_t bits(float x) { return std::bit_cast<uint32_t>(x); }
uint64_t bits(double x) { return std::bit_cast<uint64_t>(x); }
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr uint64_t kNaN32 = 0x7FC00001;

TEST(PtxConversion, OfNumbersToIntegersRoundsInTheNamedDirection) {
  const auto to_s32 = [](float x, Mode mode) {
    return static_cast<int64_t>(convert({NumberType::s32, NumberType::f32, mode}, bits(x)));
  };
  EXPECT_EQ(to_s32(2.5F, Mode::nearest), 2);
  EXPECT_EQ(to_s32(3.5F, Mode::nearest), 4);
  EXPECT_EQ(to_s32(-2.5F, Mode::zero), -2);
  EXPECT_EQ(to_s32(-2.5F, Mode::down), -3);
  EXPECT_EQ(to_s32(-2.5F, Mode::up), -2);
  EXPECT_EQ(to_s32(0x1p-140F, Mode::up), 1);
  EXPECT_EQ(
      convert({.to = NumberType::s32, .from = NumberType::f32, .rounding = Mode::up, .ftz = true}, bits(0x1p-140F)),
      0U);
}

TEST(PtxConversion, OfNumbersToIntegersClampsAndTurnsNaNToZeroUnlessSixtyFourBitsTakePart) {
  EXPECT_EQ(convert({NumberType::u8, NumberType::f32, Mode::zero}, bits(300.0F)), 255U);
  EXPECT_EQ(convert({NumberType::u8, NumberType::f32, Mode::zero}, bits(-3.0F)), 0U);
  EXPECT_EQ(convert({NumberType::s8, NumberType::f32, Mode::zero}, bits(-300.0F)), ~uint64_t{127});
  EXPECT_EQ(convert({NumberType::u64, NumberType::f32, Mode::zero}, bits(0x1p63F)), uint64_t{1} << 63);
  EXPECT_EQ(convert({NumberType::s64, NumberType::f32, Mode::zero}, bits(0x1p63F)), 0x7FFFFFFFFFFFFFFFU);
  EXPECT_EQ(convert({NumberType::u64, NumberType::f32, Mode::zero}, bits(kInfinity)), ~uint64_t{0});
  EXPECT_EQ(convert({NumberType::s32, NumberType::f32, Mode::zero}, kNaN32), 0U);
  EXPECT_EQ(convert({NumberType::s64, NumberType::f32, Mode::zero}, kNaN32), uint64_t{1} << 63);
  EXPECT_EQ(convert({NumberType::u32, NumberType::f64, Mode::zero}, bits(std::nan(""))), 0x80000000U);
  EXPECT_EQ(convert({NumberType::s32, NumberType::f64, Mode::zero}, bits(std::nan(""))), 0xFFFFFFFF80000000U);
}

TEST(PtxConversion, OfIntegersCutsOffOrSaturates) {
  EXPECT_EQ(convert({NumberType::u8, NumberType::s32}, 0xFFFFFFFF), 0xFFU);
  EXPECT_EQ(convert({.to = NumberType::u8, .from = NumberType::s32, .sat = true}, 0xFFFFFFFF), 0U);
  EXPECT_EQ(convert({.to = NumberType::s8, .from = NumberType::u32, .sat = true}, 0xFFFFFFFF), 127U);
  EXPECT_EQ(convert({NumberType::s8, NumberType::u32}, 0x80), 0xFFFFFFFFFFFFFF80U);
  EXPECT_EQ(convert({NumberType::u64, NumberType::s32}, 0x80000000),
            0xFFFFFFFF80000000U);  // sign-extended by the source
  EXPECT_EQ(convert({NumberType::u64, NumberType::u32}, 0x80000000), 0x80000000U);
}

TEST(PtxConversion, OfIntegersToNumbersRoundsOnce) {
  EXPECT_EQ(convert({NumberType::f32, NumberType::s32}, 16777217), bits(16777216.0F));
  EXPECT_EQ(convert({NumberType::f32, NumberType::s32, Mode::up}, 16777217), bits(16777218.0F));
  EXPECT_EQ(convert({NumberType::f32, NumberType::u64, Mode::zero}, ~uint64_t{0}), bits(0x1.fffffep63F));
  EXPECT_EQ(convert({NumberType::f32, NumberType::s32}, 0x80000000), bits(-0x1p31F));
  EXPECT_EQ(convert({NumberType::f16, NumberType::u32}, 70000), 0x7C00U);
  EXPECT_EQ(convert({NumberType::f64, NumberType::s64}, 0xFFFFFFFFFFFFFFFF), bits(-1.0));
}

TEST(PtxConversion, BetweenNumbersRoundsToIntegersKeepsZerosSignAndCanonicalisesNaN) {
  const auto integral = [](Mode mode, float x) {
    return convert({.to = NumberType::f32, .from = NumberType::f32, .rounding = mode, .integral = true}, bits(x));
  };
  EXPECT_EQ(integral(Mode::nearest, 2.5F), bits(2.0F));
  EXPECT_EQ(integral(Mode::up, -0.5F), bits(-0.0F));
  EXPECT_EQ(integral(Mode::down, -0.5F), bits(-1.0F));
  EXPECT_EQ(integral(Mode::zero, 0x1.8p60F), bits(0x1.8p60F));
  EXPECT_EQ(convert({NumberType::f16, NumberType::f32}, kNaN32), 0x7FFFU);
  EXPECT_EQ(convert({NumberType::f32, NumberType::f16}, 0xFE01), 0x7FFFFFFFU);
  EXPECT_EQ(convert({NumberType::f32, NumberType::f64, Mode::up}, bits(1e-300)), 1U);
  EXPECT_EQ(convert({.to = NumberType::f32, .from = NumberType::f64, .rounding = Mode::up, .ftz = true}, bits(1e-300)),
            0U);
  EXPECT_EQ(convert({.to = NumberType::f32, .from = NumberType::f32, .sat = true}, bits(-0.25F)), 0U);
  EXPECT_EQ(convert({NumberType::f16, NumberType::f32, Mode::zero}, bits(1e6F)), 0x7BFFU);
}

TEST(PtxConversion, WithReluAndSatfiniteClamps) {
  EXPECT_EQ(convert({.to = NumberType::f16, .from = NumberType::f32, .satfinite = true}, bits(-1e6F)), 0xFBFFU);
  EXPECT_EQ(convert({.to = NumberType::bf16, .from = NumberType::f32, .satfinite = true}, bits(kInfinity)), 0x7F7FU);
  EXPECT_EQ(convert({.to = NumberType::bf16, .from = NumberType::f32, .relu = true}, bits(-2.0F)), 0U);
  EXPECT_EQ(convert({.to = NumberType::bf16, .from = NumberType::f32, .relu = true}, kNaN32), 0x7FFFU);
  EXPECT_EQ(convert({NumberType::tf32, NumberType::f32, Mode::away}, bits(1.0F + 0x1p-11F)), bits(1.0F + 0x1p-10F));
  EXPECT_EQ(convert({NumberType::tf32, NumberType::f32, Mode::zero}, bits(1.0F + 0x1.8p-10F)), bits(1.0F + 0x1p-10F));
}

TEST(PtxConversion, ToPackedPairsPutsTheFirstOperandHigh) {
  const auto pair = [](NumberType type, float a, float b) {
    return convert_pair({.to = type, .from = NumberType::f32, .satfinite = true}, bits(a), bits(b));
  };
  EXPECT_EQ(pair(NumberType::e4m3, 1.0F, -448.0F), 0x38FEU);
  EXPECT_EQ(pair(NumberType::e4m3, 1e9F, std::nanf("")), 0x7E7FU);
  EXPECT_EQ(pair(NumberType::e5m2, kInfinity, 0.0F), 0x7B00U);
  EXPECT_EQ(pair(NumberType::e2m1, 2.5F, -100.0F), 0x4FU);         // 2.5 ties to 2, -6
  EXPECT_EQ(pair(NumberType::e2m1, std::nanf(""), 0.25F), 0x70U);  // NaN: +6; 0.25 ties to 0
  EXPECT_EQ(pair(NumberType::e2m3, 1.0F, -7.5F), 0x083FU);
  EXPECT_EQ(pair(NumberType::e3m2, -1.0F, 28.0F), 0x2C1FU);
  EXPECT_EQ(convert_pair({NumberType::f16, NumberType::f32}, bits(1.0F), bits(2.0F)), 0x3C004000U);
  EXPECT_EQ(convert_packed({NumberType::f16, NumberType::e4m3}, 0x3840), 0x3C004000U);
  EXPECT_EQ(convert_packed({NumberType::f16, NumberType::e2m1}, 0x24), 0x3C004000U);
  EXPECT_EQ(convert_packed({.to = NumberType::e4m3, .from = NumberType::f16, .satfinite = true}, 0x3C004000), 0x3840U);
}

TEST(PtxConversion, ToScalesRoundsToPowersOfTwo) {
  const auto scale = [](Mode mode, float x, bool finite) {
    return convert({.to = NumberType::ue8m0, .from = NumberType::f32, .rounding = mode, .satfinite = finite}, bits(x));
  };
  EXPECT_EQ(scale(Mode::zero, 1.5F, false), 127U);
  EXPECT_EQ(scale(Mode::up, 1.5F, false), 128U);
  EXPECT_EQ(scale(Mode::up, 1.0F, false), 127U);
  EXPECT_EQ(scale(Mode::zero, -8.0F, false), 130U);  // the sign is dropped
  EXPECT_EQ(scale(Mode::up, 0.0F, false), 0U);
  EXPECT_EQ(scale(Mode::up, 0x1.8p-127F, false), 1U);
  EXPECT_EQ(scale(Mode::up, 0x1.8p127F, false), 255U);
  EXPECT_EQ(scale(Mode::up, 0x1.8p127F, true), 254U);
  EXPECT_EQ(scale(Mode::zero, std::nanf(""), true), 255U);
  EXPECT_EQ(convert_packed({NumberType::bf16, NumberType::ue8m0}, 0x7F00), 0x3F800040U);  // 1 and 2^-127
}

TEST(PtxConversion, OfEverySixteenBitNumberToEightBitsIsTheHarnesss) {
  for (uint32_t code = 0; code < 65536; ++code) {
    const float x = native::f32_of_f16(static_cast<uint16_t>(code));
    if (!std::isfinite(x)) continue;
    const double clamped = std::min(std::max(static_cast<double>(x), -448.0), 448.0);
    std::byte expected{};
    store_element(DType::e4m3fn, &expected, clamped);
    ASSERT_EQ(convert({.to = NumberType::e4m3, .from = NumberType::f16, .satfinite = true}, code),
              static_cast<uint64_t>(expected));
  }
}

TEST(PtxConversion, ThatTheIsaHasNotIsRefused) {
  EXPECT_THROW(check_conversion({NumberType::e4m3, NumberType::f32}), Error);  // no .satfinite
  EXPECT_THROW(check_conversion({NumberType::f32, NumberType::e4m3}), Error);  // to .f16 alone
  EXPECT_THROW(check_conversion({NumberType::f16, NumberType::f32, Mode::away}), Error);
  EXPECT_THROW(check_conversion({NumberType::ue8m0, NumberType::f32, Mode::nearest}), Error);
  EXPECT_THROW(check_conversion({.to = NumberType::f16, .from = NumberType::f64, .ftz = true}), Error);
  EXPECT_THROW(check_conversion({.to = NumberType::f16, .from = NumberType::f32, .integral = true}), Error);
  EXPECT_THROW(check_conversion({.to = NumberType::bf16, .from = NumberType::f32, .sat = true}), Error);
  EXPECT_THROW(check_conversion({.to = NumberType::u16, .from = NumberType::u8, .sat = true}), Error);
  EXPECT_THROW(check_conversion({.to = NumberType::s16, .from = NumberType::u8, .sat = true}), Error);
  EXPECT_NO_THROW(check_conversion({.to = NumberType::u64, .from = NumberType::s8, .sat = true}));
  EXPECT_THROW(static_cast<void>(rounding_of("rs")), Error);
  EXPECT_THROW(static_cast<void>(number_type_of("s2f6")), Error);
  EXPECT_NO_THROW(check_conversion({.to = NumberType::bf16, .from = NumberType::f32, .satfinite = true, .relu = true}));
  EXPECT_NO_THROW(
      check_conversion({.to = NumberType::u8, .from = NumberType::f32, .rounding = Mode::zero, .sat = true}));
}

}  // namespace
}  // namespace parity::ptx

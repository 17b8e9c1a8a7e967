// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/number/compare.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "optimized/ptx/number/native.hpp"

namespace parity::ptx {
namespace {

constexpr uint64_t kOne = 0x3F800000, kMinusOne = 0xBF800000, kMinusZero = 0x80000000, kNaN = 0x7FC00000;

bool expected(Comparison op, float a, float b) {
  switch (op) {
    case Comparison::eq:
      return a == b;
    case Comparison::ne:
      return a < b || a > b;
    case Comparison::lt:
      return a < b;
    case Comparison::le:
      return a <= b;
    case Comparison::gt:
      return a > b;
    case Comparison::ge:
      return a >= b;
    case Comparison::equ:
      return !(a < b || a > b);
    case Comparison::neu:
      return a != b;
    case Comparison::ltu:
      return !(a >= b);
    case Comparison::leu:
      return !(a > b);
    case Comparison::gtu:
      return !(a <= b);
    case Comparison::geu:
      return !(a < b);
    case Comparison::num:
      return !std::isnan(a) && !std::isnan(b);
    case Comparison::nan:
      return std::isnan(a) || std::isnan(b);
  }
  return false;
}

TEST(PtxComparison, OrdersEveryPairOfASampleOfHalvesAsTheirNumbers) {
  for (uint32_t a = 0; a < 65536; a += 97) {
    for (uint32_t b = 0; b < 65536; b += 257) {
      for (int op = 0; op <= static_cast<int>(Comparison::nan); ++op) {
        const auto comparison = static_cast<Comparison>(op);
        ASSERT_EQ(compare(NumberType::f16, comparison, a, b),
                  expected(comparison, native::f32_of_f16(static_cast<uint16_t>(a)),
                           native::f32_of_f16(static_cast<uint16_t>(b))))
            << op << " " << a << " " << b;
      }
    }
  }
  EXPECT_TRUE(compare(NumberType::f32, Comparison::eq, 0, kMinusZero));
  EXPECT_TRUE(compare(NumberType::f16, Comparison::eq, 0, 0x8000));
  EXPECT_TRUE(compare(NumberType::f64, Comparison::lt, 0xBFF0000000000000, 0));
}

TEST(PtxComparison, FlushesSubnormalsWithFtz) {
  EXPECT_TRUE(compare(NumberType::f32, Comparison::gt, 1, 0));
  EXPECT_FALSE(compare(NumberType::f32, Comparison::gt, 1, 0, true));
  EXPECT_TRUE(compare(NumberType::f32, Comparison::eq, 1, kMinusZero, true));
}

TEST(PtxExtreme, IgnoresOneNaNUnlessAskedToPropagateIt) {
  EXPECT_EQ(min(NumberType::f32, kNaN, kOne), kOne);
  EXPECT_EQ(max(NumberType::f32, kOne, kNaN), kOne);
  EXPECT_EQ(max(NumberType::f32, kNaN, 0xFFC00000), 0x7FFFFFFFU);
  EXPECT_EQ(max(NumberType::f32, kOne, kNaN, {.propagate_nan = true}), 0x7FFFFFFFU);
  EXPECT_EQ(min(NumberType::bf16, 0x7FC1, 0x3F80, {.propagate_nan = true}), 0x7FFFU);
}

TEST(PtxExtreme, PutsMinusZeroBelowZero) {
  EXPECT_EQ(min(NumberType::f32, 0, kMinusZero), kMinusZero);
  EXPECT_EQ(max(NumberType::f32, kMinusZero, 0), 0U);
  EXPECT_EQ(min(NumberType::f32, kOne, kMinusOne), kMinusOne);
  EXPECT_EQ(max(NumberType::f32, 1, 0, {.ftz = true}), 0U);
}

TEST(PtxExtreme, WithXorsignAbsTakesMagnitudesAndTheProductsSign) {
  EXPECT_EQ(min(NumberType::f32, kMinusOne, 0x40000000, {.absolute = true, .xorsign = true}), kMinusOne);
  EXPECT_EQ(max(NumberType::f32, kMinusOne, 0xC0000000, {.absolute = true, .xorsign = true}), 0x40000000U);
  EXPECT_EQ(extreme(NumberType::f32, true, kOne, kMinusOne, 0xC0000000, {.absolute = true}), 0x40000000U);
}

TEST(PtxSign, IsFlippedAndCleared) {
  EXPECT_EQ(negate(NumberType::f16, 0x3C00), 0xBC00U);
  EXPECT_EQ(absolute(NumberType::bf16, 0xBF80), 0x3F80U);
  EXPECT_EQ(negate(NumberType::f32, 1, true), kMinusZero);
}

}  // namespace
}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Sums as an H100 adds them, against values worked out by hand from the measured rules of hopper_sum.cpp.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "optimized/ptx/matrix/product.hpp"

namespace parity::ptx {
namespace {

constexpr ProductKind kBf16{MatrixType::bf16, MatrixType::bf16}, kTf32{MatrixType::tf32, MatrixType::tf32};
constexpr ProductKind kF16{}, kToHalf{.sum = MatrixType::f16};
constexpr ProductKind kE4m3{MatrixType::e4m3, MatrixType::e4m3}, kE5m2{MatrixType::e5m2, MatrixType::e5m2};
constexpr ProductKind kE4m3OfGroup{.a = MatrixType::e4m3, .b = MatrixType::e4m3, .warpgroup = true};

/// One row times one column, and C; numbers that are not given are zeros.
struct Terms {
  std::vector<float> a, b;
  explicit Terms(int k) : a(static_cast<size_t>(k)), b(static_cast<size_t>(k)) {}
  Terms& with(int at, float x, float y) {
    a[static_cast<size_t>(at)] = x;
    b[static_cast<size_t>(at)] = y;
    return *this;
  }
  [[nodiscard]] float plus(float start, const ProductKind& kind) const {
    std::vector<float> dense(a.size() * 8), c(8, start), d(8);
    for (size_t l = 0; l < b.size(); ++l) dense[l * 8 + 3] = b[l];
    multiply(1, 8, static_cast<int>(a.size()), a.data(), dense.data(), c.data(), d.data(), kind);
    return d[3];
  }
};

/// `count` products of x y, from number `first` on.
Terms equal(int k, int first, int count, float x, float y) {
  Terms terms(k);
  for (int l = first; l < first + count; ++l) terms.with(l, x, y);
  return terms;
}

TEST(HopperSum, KeepsTwentyFiveBitsBelowTheLargestExponent) {
  for (const ProductKind& kind : {kF16, kBf16, kTf32}) {
    // Beside 1, four times 2^-25 count together as 2^-23; four times 2^-26 are each cut off.
    EXPECT_EQ(equal(8, 0, 4, 0x1p-12F, 0x1p-13F).plus(1.0F, kind), 1.0F + 0x1p-23F);
    EXPECT_EQ(equal(8, 0, 4, 0x1p-13F, 0x1p-13F).plus(1.0F, kind), 1.0F);
    // Towards zero, of both signs.
    EXPECT_EQ(equal(8, 0, 7, 0x1p-12F, 0x1p-13F).plus(1.0F, kind), 1.0F + 0x1p-23F);
    EXPECT_EQ(equal(8, 0, 7, -0x1p-12F, 0x1p-13F).plus(-1.0F, kind), -1.0F - 0x1p-23F);
  }
}

TEST(HopperSum, AddsAllProductsOfAnInstructionAtOnce) {
  // In two groups of eight each half would be cut off to 1.
  EXPECT_EQ(equal(16, 6, 4, 0x1p-12F, 0x1p-13F).plus(1.0F, kBf16), 1.0F + 0x1p-23F);
  EXPECT_EQ(equal(16, 6, 4, 0x1p-12F, 0x1p-13F).plus(1.0F, kF16), 1.0F + 0x1p-23F);
  EXPECT_EQ(equal(8, 2, 4, 0x1p-12F, 0x1p-13F).plus(1.0F, kTf32), 1.0F + 0x1p-23F);
}

TEST(HopperSum, TakesTheExponentOfAProductBeforeItsCarry) {
  // 1.5 * 1.5 = 2.25 has the exponent 0, so that 2^-25 counts beside it.
  EXPECT_EQ(Terms(8).with(0, 1.5F, 1.5F).with(1, 0x1p-12F, 0x1p-13F).with(2, -1.5F, 1.5F).plus(0.0F, kBf16), 0x1p-25F);
  // A zero has no exponent, whatever it is multiplied by.
  EXPECT_EQ(Terms(8).with(0, 0x1p60F, 0.0F).with(1, 0x1p-12F, 0x1p-13F).plus(1.0F, kBf16), 1.0F);
  EXPECT_EQ(Terms(8).with(0, 0x1p60F, 0.0F).with(1, 0x1p-11F, 0x1p-12F).plus(1.0F, kBf16), 1.0F + 0x1p-23F);
}

TEST(HopperSum, OfHalfIsRoundedOnceToNearest) {
  // 1 + 2^-11 is a tie and goes down; one bit more, far below f16 and f32, takes it up.
  EXPECT_EQ(Terms(8).with(0, 0x1p-5F, 0x1p-6F).plus(1.0F, kToHalf), 1.0F);
  EXPECT_EQ(Terms(8).with(0, 0x1p-5F, 0x1p-6F).with(1, 0x1p-12F, 0x1p-13F).plus(1.0F, kToHalf), 1.0F + 0x1p-10F);
  EXPECT_EQ(Terms(8).with(0, 0x1p-5F, 0x1p-6F).with(1, 0x1p-13F, 0x1p-13F).plus(1.0F, kToHalf), 1.0F);
  EXPECT_EQ(Terms(8).with(0, 256.0F, 256.0F).plus(1.0F, kToHalf), std::numeric_limits<float>::infinity());
}

TEST(HopperSum, OfEightBitsInAWarpgroupKeepsThirteen) {
  // Thirteen bits below 1; the result too has thirteen.
  EXPECT_EQ(equal(32, 14, 4, 0x1p-6F, 0x1p-7F).plus(1.0F, kE4m3OfGroup), 1.0F + 0x1p-11F);
  EXPECT_EQ(equal(32, 14, 4, 0x1p-7F, 0x1p-7F).plus(1.0F, kE4m3OfGroup), 1.0F);
  EXPECT_EQ(equal(32, 0, 4, 1.0F, 1.0F).with(5, 0x1p-6F, 0x1p-7F).plus(0.0F, kE4m3OfGroup), 4.0F);
  EXPECT_EQ(Terms(32).with(0, 1.0F, 1.0F).plus(-1.0F + 0x1p-13F, kE4m3OfGroup), 0x1p-13F);
}

TEST(HopperSum, OfEightBitsInAWarpAddsCLastToNearest) {
  // 1 and 1.5 units in its last place: a sum with C in it would be cut off.
  EXPECT_EQ(Terms(16).with(0, 1.0F, 1.0F).plus(1.5F * 0x1p-23F, kE5m2), 1.0F + 0x1p-22F);
  // The low two of each four products first: 1 and -1 cancel before 2^-18 comes, in the other order it is cut off.
  const float tiny = 0x1p-9F;
  EXPECT_EQ(Terms(16).with(0, 256.0F, 256.0F).with(5, -256.0F, 256.0F).with(2, tiny, tiny).plus(0.0F, kE4m3), 0x1p-18F);
  EXPECT_EQ(Terms(16).with(0, 256.0F, 256.0F).with(2, -256.0F, 256.0F).with(4, tiny, tiny).plus(0.0F, kE4m3), 0.0F);
}

TEST(HopperSum, OfThirtyOneBitsIsExact) {
  // The largest sum that 25 bits allow needs more than an integer of 31 bits.
  constexpr float kMost = 2.0F - 0x1p-7F;
  EXPECT_EQ(equal(16, 0, 16, kMost, kMost).plus(kMost, kBf16), 16.0F * kMost * kMost + kMost);
  EXPECT_EQ(equal(16, 0, 16, -kMost, kMost).plus(-kMost, kBf16), -16.0F * kMost * kMost - kMost);
}

TEST(HopperSum, TurnsWhatF32CannotHoldIntoInfinity) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Terms(8).with(0, 0x1p100F, 0x1p100F).plus(1.0F, kBf16), infinity);
  EXPECT_EQ(Terms(8).with(0, -0x1p64F, 0x1p63F).with(1, -0x1p64F, 0x1p63F).plus(1.0F, kBf16), -infinity);
  EXPECT_EQ(Terms(8).with(0, 0x1p100F, 0x1p100F).with(1, -0x1p100F, 0x1p100F).plus(1.0F, kBf16), 0.0F);
  EXPECT_EQ(Terms(8).with(0, -infinity, 1.0F).with(1, 0x1p100F, 0x1p100F).plus(1.0F, kBf16), -infinity);
  const float nan = Terms(8).with(0, infinity, 1.0F).with(1, -infinity, 1.0F).plus(1.0F, kBf16);
  EXPECT_EQ(std::bit_cast<uint32_t>(nan), 0x7FFFFFFFU);
}

}  // namespace
}  // namespace parity::ptx

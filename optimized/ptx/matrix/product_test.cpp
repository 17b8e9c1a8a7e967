// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Sums in each order against values worked out by hand.
#include "optimized/ptx/matrix/product.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace parity::ptx {
namespace {

/// The first element of a product of one row with one column, seven columns of zeros beside it.
float sum_of(const std::vector<float>& a, const std::vector<float>& column, float start, const Summation& how,
             const ProductKind& kind = {}) {
  const auto k = static_cast<int>(a.size());
  std::vector<float> b(a.size() * 8, 0.0F), c(8, start), d(8);
  for (size_t l = 0; l < a.size(); ++l) b[l * 8] = column[l];
  multiply(1, 8, k, a.data(), b.data(), c.data(), d.data(), kind, how);
  return d[0];
}

const Summation kInOrder{.order = Summation::Order::sequential};

TEST(MatrixProduct, InOrderRoundsAfterEachExactProduct) {
  // 2^24 + 1 + 1: each one is lost against 2^24, in the other order both count.
  EXPECT_EQ(sum_of({0x1p12F, 1, 1, 0}, {0x1p12F, 1, 1, 0}, 0.0F, kInOrder), 0x1p24F);
  EXPECT_EQ(sum_of({1, 1, 0x1p12F, 0}, {1, 1, 0x1p12F, 0}, 0.0F, kInOrder), 0x1p24F + 2);
  // The product 1 - 2^-24 is not rounded before it is added to -1.
  EXPECT_EQ(sum_of({1 + 0x1p-12F}, {1 - 0x1p-12F}, -1.0F, kInOrder), -0x1p-24F);
  // A product that underflows f32 still breaks nothing: it is added exactly and lost.
  EXPECT_EQ(sum_of({0x1p-100F}, {0x1p-100F}, 1.0F, kInOrder), 1.0F);
}

TEST(MatrixProduct, AlignedCutsTermsOffBelowTheLargest) {
  const auto how = [](int group, int bits) {
    return Summation{.order = Summation::Order::aligned, .group = group, .fraction_bits = bits};
  };
  // 1 + 4 * 2^-24: with 23 bits each of the four is cut off, with 24 all count, in groups of one each is lost again.
  const std::vector<float> a{0x1p-12F, 0x1p-12F, 0x1p-12F, 0x1p-12F};
  EXPECT_EQ(sum_of(a, a, 1.0F, how(4, 23)), 1.0F);
  EXPECT_EQ(sum_of(a, a, 1.0F, how(4, 24)), 1.0F + 0x1p-22F);
  EXPECT_EQ(sum_of(a, a, 1.0F, how(1, 24)), 1.0F);
  EXPECT_EQ(sum_of(a, a, -1.0F, how(1, 24)), -1.0F + 4 * 0x1p-24F);
  // Towards zero where nearest would go up: 1 + 1.5 units.
  EXPECT_EQ(sum_of({1.5F}, {0x1p-23F}, 1.0F, how(4, 30)), 1.0F + 0x1p-23F);
  // Cut off at 13 bits, as fp8 sums of Hopper are.
  EXPECT_EQ(sum_of({0x1p-7F}, {0x1p-7F}, 1.0F, how(16, 13)), 1.0F);
}

TEST(MatrixProduct, AlignedKnowsInfinityAndNaN) {
  const Summation how{.order = Summation::Order::aligned};
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(sum_of({infinity, 1}, {2, 1}, 1.0F, how), infinity);
  EXPECT_EQ(std::bit_cast<uint32_t>(sum_of({infinity, 1}, {0, 1}, 1.0F, how)), 0x7FFFFFFFU);
  EXPECT_EQ(std::bit_cast<uint32_t>(sum_of({infinity, infinity}, {1, -1}, 1.0F, how)), 0x7FFFFFFFU);
  EXPECT_EQ(std::bit_cast<uint32_t>(sum_of({infinity, 1}, {0, 1}, 1.0F, kInOrder)), 0x7FFFFFFFU);
}

TEST(MatrixProduct, PerturbedStaysWithinItsBoundAndFollowsTheSeed) {
  const std::vector<float> a{1.5F, -2.25F, 3.0F, 0.1F};
  double exact = 0.5, magnitude = 0.5;
  for (const float x : a) {
    exact += static_cast<double>(x) * static_cast<double>(x);
    magnitude += static_cast<double>(x) * static_cast<double>(x);
  }
  Summation how{.order = Summation::Order::perturbed, .bound = 0x1p-20};
  bool moved = false;
  for (how.seed = 0; how.seed < 50; ++how.seed) {
    const float got = sum_of(a, a, 0.5F, how);
    ASSERT_EQ(got, sum_of(a, a, 0.5F, how));
    ASSERT_LE(std::abs(got - exact), 0x1p-20 * magnitude + 0x1p-24 * exact);
    moved = moved || got != static_cast<float>(exact);
  }
  EXPECT_TRUE(moved);
  EXPECT_THROW(static_cast<void>(sum_of(a, a, 0.5F, {.order = Summation::Order::aligned, .group = 100})), Error);
}

}  // namespace
}  // namespace parity::ptx

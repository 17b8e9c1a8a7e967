// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Whole mma instructions against slow double loops; sums against values worked out by hand.
#include "optimized/ptx/matrix/mma.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "optimized/ptx/matrix/aligned_sum.hpp"
#include "optimized/ptx/matrix/quad_fragment.hpp"

namespace parity::ptx {
namespace {

using Words = std::vector<std::vector<uint32_t>>;

template <class Word>
std::vector<const Word*> pointers(const std::vector<std::vector<Word>>& registers) {
  std::vector<const Word*> result;
  for (const auto& one : registers) result.push_back(one.data());
  return result;
}

/// A matrix of small integers, exact in every type, and its registers.
struct Filled {
  std::vector<int64_t> dense;
  Words registers;
};

int64_t small_number(MatrixType type, int i) {
  const int hash = (i * 7919 + 13) % 101;
  if (type == MatrixType::b1) return hash % 2;
  if (type == MatrixType::u4 || type == MatrixType::u8) return hash % 9;
  return hash % 9 - 4;
}

uint32_t code_of(MatrixType type, int64_t x) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(x));
  switch (type) {
    case MatrixType::f16:
      return native::f16_of_f32(static_cast<float>(x));
    case MatrixType::bf16:
      return bits >> 16;
    case MatrixType::f32:
      return bits;
    case MatrixType::tf32:
      return bits | 0x1FFFU;  // the low bits are not part of the number
    case MatrixType::e4m3:
      return static_cast<uint32_t>(
          encode(NumberType::e4m3, exact_of(x < 0, static_cast<uint64_t>(std::abs(x)), 0), {}));
    case MatrixType::e5m2:
      return static_cast<uint32_t>(
          encode(NumberType::e5m2, exact_of(x < 0, static_cast<uint64_t>(std::abs(x)), 0), {}));
    default:
      return static_cast<uint32_t>(x) & (bits_of(type) == 32 ? ~0U : (1U << bits_of(type)) - 1);
  }
}

template <class Map>
Filled filled(int rows, int columns, MatrixType type, int salt, const Map& map) {
  Filled result;
  for (int i = 0; i < rows * columns; ++i) result.dense.push_back(small_number(type, i + salt));
  const MatrixFragment fragment = fragment_of(rows, columns, type);
  for (int number = 0; number < fragment.registers; ++number) {
    result.registers.emplace_back(32, 0U);
    for (int lane = 0; lane < 32; ++lane) {
      for (int e = 0; e < fragment.elements; ++e) {
        const MatrixPosition at = map(lane, number, e);
        const uint32_t code = code_of(type, result.dense[static_cast<size_t>(at.row * columns + at.column)]);
        result.registers.back()[static_cast<size_t>(lane)] |= code << (bits_of(type) * e) % 32;
      }
    }
  }
  return result;
}

void expect_product(const Mma& mma) {
  check_mma(mma);
  const auto& [m, n, k] = mma.shape;
  const auto a = filled(m, k, mma.a, 1, [&](int l, int r, int e) { return position_a(mma.shape, mma.a, l, r, e); });
  const auto b = filled(k, n, mma.b, 2, [&](int l, int r, int e) { return position_b(mma.b, l, r, e); });
  const auto c = filled(m, n, mma.c, 3, [&](int l, int r, int e) { return position_c(mma.c, l, r, e); });
  std::vector<int64_t> expected = c.dense;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int l = 0; l < k; ++l) {
        const int64_t x = a.dense[static_cast<size_t>(i * k + l)], y = b.dense[static_cast<size_t>(l * n + j)];
        const int64_t bits = mma.logical_and ? x & y : x ^ y;
        expected[static_cast<size_t>(i * n + j)] += mma.a == MatrixType::b1 ? bits : x * y;
      }
    }
  }
  Words d(c.registers.size(), std::vector<uint32_t>(32, 0xDEADBEEFU));
  std::vector<uint32_t*> targets;
  for (auto& one : d) targets.push_back(one.data());
  execute_mma(mma, pointers(a.registers).data(), pointers(b.registers).data(), pointers(c.registers).data(),
              targets.data());
  const MatrixFragment fragment = fragment_c(mma.shape, mma.d);
  for (int lane = 0; lane < 32; ++lane) {
    for (int number = 0; number < fragment.registers; ++number) {
      for (int e = 0; e < fragment.elements; ++e) {
        const MatrixPosition at = position_c(mma.d, lane, number, e);
        const uint32_t word = d[static_cast<size_t>(number)][static_cast<size_t>(lane)];
        const uint32_t got = bits_of(mma.d) == 16 ? word >> 16 * e & 0xFFFFU : word;
        ASSERT_EQ(got, code_of(mma.d, expected[static_cast<size_t>(at.row * n + at.column)]))
            << to_string(mma.a) << " k " << k << " lane " << lane << " d" << number;
      }
    }
  }
}

TEST(Mma, OfSmallIntegersIsTheProductInEveryShapeAndType) {
  for (const MatrixType type : {MatrixType::f16, MatrixType::bf16}) {
    for (const int k : {8, 16}) expect_product({.shape = {16, 8, k}, .a = type, .b = type});
  }
  for (const int k : {4, 8}) expect_product({.shape = {16, 8, k}, .a = MatrixType::tf32, .b = MatrixType::tf32});
  for (const int k : {16, 32}) {
    expect_product({.shape = {16, 8, k}, .a = MatrixType::e4m3, .b = MatrixType::e5m2});
    expect_product({.shape = {16, 8, k},
                    .a = MatrixType::e5m2,
                    .b = MatrixType::e4m3,
                    .c = MatrixType::f16,
                    .d = MatrixType::f16});
    expect_product(
        {.shape = {16, 8, k}, .a = MatrixType::s8, .b = MatrixType::u8, .c = MatrixType::s32, .d = MatrixType::s32});
    expect_product({.shape = {16, 8, 2 * k},
                    .a = MatrixType::u4,
                    .b = MatrixType::s4,
                    .c = MatrixType::s32,
                    .d = MatrixType::s32});
  }
  expect_product({.shape = {16, 8, 16}, .c = MatrixType::f16, .d = MatrixType::f16});
  expect_product(
      {.shape = {8, 8, 16}, .a = MatrixType::u8, .b = MatrixType::s8, .c = MatrixType::s32, .d = MatrixType::s32});
  expect_product(
      {.shape = {8, 8, 32}, .a = MatrixType::s4, .b = MatrixType::s4, .c = MatrixType::s32, .d = MatrixType::s32});
  for (const MmaShape shape : {MmaShape{8, 8, 128}, MmaShape{16, 8, 128}, MmaShape{16, 8, 256}}) {
    expect_product(
        {.shape = shape, .a = MatrixType::b1, .b = MatrixType::b1, .c = MatrixType::s32, .d = MatrixType::s32});
    expect_product({.shape = shape,
                    .a = MatrixType::b1,
                    .b = MatrixType::b1,
                    .c = MatrixType::s32,
                    .d = MatrixType::s32,
                    .logical_and = true});
  }
}

TEST(Mma, OfF64RoundsEachFusedStepAsAsked) {
  const MmaShape shape{8, 8, 4};
  const std::vector<uint64_t> ones(32, std::bit_cast<uint64_t>(1.0)), tiny(32, std::bit_cast<uint64_t>(0x1p-60));
  std::vector<uint64_t> first(32), second(32);
  const uint64_t *a[] = {ones.data()}, *b[] = {tiny.data()}, *c[] = {ones.data(), ones.data()};
  uint64_t* d[] = {first.data(), second.data()};

  execute_mma_f64(
      {.shape = shape, .a = MatrixType::f64, .b = MatrixType::f64, .c = MatrixType::f64, .d = MatrixType::f64}, a, b, c,
      d);
  EXPECT_EQ(std::bit_cast<double>(first[7]), 1.0);
  execute_mma_f64({.shape = shape,
                   .a = MatrixType::f64,
                   .b = MatrixType::f64,
                   .c = MatrixType::f64,
                   .d = MatrixType::f64,
                   .rounding = RoundingMode::up},
                  a, b, c, d);
  EXPECT_EQ(std::bit_cast<double>(second[31]), 1.0 + 4 * 0x1p-52);  // four steps, each up by one unit
}

TEST(Mma, OfM8n8k4MultipliesFourMatrices) {
  // A of each product is its number + 1 times the identity's first four columns, B counts.
  std::vector<std::vector<uint32_t>> a(2, std::vector<uint32_t>(32)), b(2, std::vector<uint32_t>(32));
  std::vector<std::vector<uint32_t>> c(8, std::vector<uint32_t>(32)), d(8, std::vector<uint32_t>(32));
  for (int lane = 0; lane < 32; ++lane) {
    for (int e = 0; e < 4; ++e) {
      const MatrixPosition in_a = quad_position_a(true, lane, e), in_b = quad_position_b(false, lane, e);
      const float x = in_a.row == in_a.column ? static_cast<float>(quad_product(lane) + 1) : 0.0F;
      const auto y = static_cast<float>(8 * in_b.row + in_b.column);
      a[static_cast<size_t>(e / 2)][static_cast<size_t>(lane)] |= static_cast<uint32_t>(native::f16_of_f32(x))
                                                                  << 16 * (e % 2);
      b[static_cast<size_t>(e / 2)][static_cast<size_t>(lane)] |= static_cast<uint32_t>(native::f16_of_f32(y))
                                                                  << 16 * (e % 2);
    }
  }
  std::vector<uint32_t*> targets;
  for (auto& one : d) targets.push_back(one.data());
  const Mma mma{.shape = {8, 8, 4}};
  check_mma(mma);
  execute_mma(mma, pointers(a).data(), pointers(b).data(), pointers(c).data(), targets.data());
  for (int lane = 0; lane < 32; ++lane) {
    for (int e = 0; e < 8; ++e) {
      const MatrixPosition at = quad_position_c(MatrixType::f32, lane, e);
      const float expected =
          at.row < 4 ? static_cast<float>((quad_product(lane) + 1) * (8 * at.row + at.column)) : 0.0F;
      ASSERT_EQ(std::bit_cast<float>(d[static_cast<size_t>(e)][static_cast<size_t>(lane)]), expected);
    }
  }
}

TEST(Mma, ThatTheIsaHasNotIsRefused) {
  EXPECT_THROW(check_mma({.shape = {16, 8, 32}}), Error);
  EXPECT_THROW(check_mma({.shape = {16, 8, 16}, .b = MatrixType::bf16}), Error);
  EXPECT_THROW(check_mma({.shape = {16, 8, 16}, .c = MatrixType::f16}), Error);
  EXPECT_THROW(check_mma({.shape = {16, 8, 16},
                          .a = MatrixType::bf16,
                          .b = MatrixType::bf16,
                          .c = MatrixType::f16,
                          .d = MatrixType::f16}),
               Error);
  EXPECT_THROW(check_mma({.shape = {16, 8, 16}, .satfinite = true}), Error);
  EXPECT_THROW(check_mma({.shape = {16, 8, 16}, .rounding = RoundingMode::up}), Error);
  EXPECT_THROW(check_mma({.shape = {16, 8, 16}, .a_row_major = false}), Error);
  EXPECT_THROW(static_cast<void>(matrix_type_of("e2m1")), Error);
}

TEST(MatrixProduct, OfIntegersWrapsOrSaturates) {
  const std::vector<int32_t> a(8, 127), b(8 * 8, 127), c(8, std::numeric_limits<int32_t>::max() - 1);
  std::vector<int32_t> d(8);
  multiply_integer(1, 8, 8, a.data(), b.data(), c.data(), d.data());
  EXPECT_EQ(d[0], std::numeric_limits<int32_t>::min() + 8 * 127 * 127 - 2);
  multiply_integer(1, 8, 8, a.data(), b.data(), c.data(), d.data(), true);
  EXPECT_EQ(d[7], std::numeric_limits<int32_t>::max());
}

/// The first element of a product of one row with one column, seven columns of zeros beside it.
float sum_of(const std::vector<float>& a, const std::vector<float>& column, float start, const Summation& how) {
  const auto k = static_cast<int>(a.size());
  std::vector<float> b(a.size() * 8, 0.0F), c(8, start), d(8);
  for (size_t l = 0; l < a.size(); ++l) b[l * 8] = column[l];
  multiply(1, 8, k, a.data(), b.data(), c.data(), d.data(), how);
  return d[0];
}

TEST(MatrixProduct, InOrderRoundsAfterEachExactProduct) {
  // 2^24 + 1 + 1: each one is lost against 2^24, in the other order both count.
  EXPECT_EQ(sum_of({0x1p12F, 1, 1, 0}, {0x1p12F, 1, 1, 0}, 0.0F, {}), 0x1p24F);
  EXPECT_EQ(sum_of({1, 1, 0x1p12F, 0}, {1, 1, 0x1p12F, 0}, 0.0F, {}), 0x1p24F + 2);
  // The product 1 - 2^-24 is not rounded before it is added to -1.
  EXPECT_EQ(sum_of({1 + 0x1p-12F}, {1 - 0x1p-12F}, -1.0F, {}), -0x1p-24F);
  // A product that underflows f32 still breaks nothing: it is added exactly and lost.
  EXPECT_EQ(sum_of({0x1p-100F}, {0x1p-100F}, 1.0F, {}), 1.0F);
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
  EXPECT_EQ(std::bit_cast<uint32_t>(sum_of({infinity, 1}, {0, 1}, 1.0F, {})), 0x7FFFFFFFU);
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

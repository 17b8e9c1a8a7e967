// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Whole mma instructions against slow double loops.
#include "optimized/ptx/matrix/mma.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
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

TEST(Mma, OfIntegersWrapsOrSaturates) {
  const std::vector<int32_t> a(8, 127), b(8 * 8, 127), c(8, std::numeric_limits<int32_t>::max() - 1);
  std::vector<int32_t> d(8);
  multiply_integer(1, 8, 8, a.data(), b.data(), c.data(), d.data());
  EXPECT_EQ(d[0], std::numeric_limits<int32_t>::min() + 8 * 127 * 127 - 2);
  multiply_integer(1, 8, 8, a.data(), b.data(), c.data(), d.data(), true);
  EXPECT_EQ(d[7], std::numeric_limits<int32_t>::max());
}

}  // namespace
}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// MatrixFragment maps against the formulas of PTX ISA 9.7.14.5, as they are written there.
#include "optimized/ptx/matrix/fragment.hpp"

#include <array>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "optimized/ptx/matrix/quad_fragment.hpp"
#include "optimized/ptx/matrix/testing/bijection.hpp"

namespace parity::ptx {
namespace {

/// A formula of PTX ISA 9.7.14.5.N, for one shape and type that it holds for.
struct Formula {
  double section;  // N, and a digit where a section has formulas for several types
  MmaShape shape;
  MatrixType type;
};

constexpr std::array<Formula, 14> kFormulas{{{2, {8, 8, 4}, MatrixType::f64},
                                             {3, {8, 8, 16}, MatrixType::s8},
                                             {4, {8, 8, 32}, MatrixType::u4},
                                             {5, {8, 8, 128}, MatrixType::b1},
                                             {6, {16, 8, 4}, MatrixType::tf32},
                                             {7.1, {16, 8, 8}, MatrixType::bf16},
                                             {7.2, {16, 8, 8}, MatrixType::tf32},
                                             {8.1, {16, 8, 16}, MatrixType::f16},
                                             {8.2, {16, 8, 16}, MatrixType::f64},
                                             {9, {16, 8, 16}, MatrixType::u8},
                                             {10.1, {16, 8, 32}, MatrixType::s4},
                                             {10.2, {16, 8, 32}, MatrixType::e4m3},
                                             {11, {16, 8, 64}, MatrixType::s4},
                                             {13, {16, 8, 256}, MatrixType::b1}}};

/// Of ai, with g = groupID and t = threadID_in_group, as the ISA writes it.
MatrixPosition formula_a(double section, int g, int t, int i) {
  if (section == 2) return {g, t};
  if (section == 3) return {g, t * 4 + i};
  if (section == 4) return {g, t * 8 + i};
  if (section == 5) return {g, t * 32 + i};
  if (section == 6) return {i == 0 ? g : g + 8, t};
  if (section == 7.1) return {i < 2 ? g : g + 8, t * 2 + (i & 1)};
  if (section == 7.2) return {i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
  if (section == 8.1) return {i < 2 || (4 <= i && i < 6) ? g : g + 8, t * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
  if (section == 8.2) return i % 2 == 0 ? MatrixPosition{g, i * 2 + t} : MatrixPosition{g + 8, i * 2 - 2 + t};
  if (section == 9) return {i < 4 ? g : g + 8, t * 4 + (i & 3)};
  if (section == 10.1) return {i < 8 ? g : g + 8, t * 8 + (i & 7)};
  if (section == 10.2) return {i < 4 || (8 <= i && i < 12) ? g : g + 8, t * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
  if (section == 11) return {i < 8 || (16 <= i && i < 24) ? g : g + 8, t * 8 + (i & 7) + (i >= 16 ? 32 : 0)};
  return {i < 32 || (64 <= i && i < 96) ? g : g + 8, t * 32 + (i & 31) + (i >= 64 ? 128 : 0)};
}

MatrixPosition formula_b(double section, int g, int t, int i) {
  if (section == 2) return {t, g};
  if (section == 3) return {t * 4 + i, g};
  if (section == 4) return {t * 8 + i, g};
  if (section == 5) return {t * 32 + i, g};
  if (section == 6) return {t, g};
  if (section == 7.1) return {t * 2 + i, g};
  if (section == 7.2) return {i == 0 ? t : t + 4, g};
  if (section == 8.1) return {t * 2 + (i & 1) + (i >= 2 ? 8 : 0), g};
  if (section == 8.2) return {t + i * 4, g};
  if (section == 9) return {t * 4 + i, g};
  if (section == 10.1) return {t * 8 + (i & 7), g};
  if (section == 10.2) return {t * 4 + (i & 3) + (i >= 4 ? 16 : 0), g};
  if (section == 11) return {t * 8 + (i & 7) + (i >= 8 ? 32 : 0), g};
  return {t * 32 + (i & 31) + (i >= 32 ? 128 : 0), g};
}

TEST(MmaFragments, OfAAndBAreThoseOfTheIsasFormulas) {
  for (const Formula& row : kFormulas) {
    const MatrixFragment a = fragment_a(row.shape, row.type);
    const MatrixFragment b = fragment_b(row.shape, row.type);
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < a.registers * a.elements; ++i) {
        ASSERT_EQ(position_a(row.shape, row.type, lane, i / a.elements, i % a.elements),
                  formula_a(row.section, lane / 4, lane % 4, i))
            << "9.7.14.5." << row.section << " lane " << lane << " a" << i;
      }
      for (int i = 0; i < b.registers * b.elements; ++i) {
        ASSERT_EQ(position_b(row.type, lane, i / b.elements, i % b.elements),
                  formula_b(row.section, lane / 4, lane % 4, i))
            << "9.7.14.5." << row.section << " lane " << lane << " b" << i;
      }
    }
  }
}

TEST(MmaFragments, CoverEachMatrixOnce) {
  for (const Formula& row : kFormulas) {
    const auto& [m, n, k] = row.shape;
    const MatrixType c = row.type == MatrixType::f64 ? MatrixType::f64 : MatrixType::s32;
    expect_bijection(32, fragment_a(row.shape, row.type), m, k,
                     [&](int l, int r, int e) { return position_a(row.shape, row.type, l, r, e); });
    expect_bijection(32, fragment_b(row.shape, row.type), k, n,
                     [&](int l, int r, int e) { return position_b(row.type, l, r, e); });
    expect_bijection(32, fragment_c(row.shape, c), m, n, [&](int l, int r, int e) { return position_c(c, l, r, e); });
  }
  expect_bijection(32, fragment_c({16, 8, 16}, MatrixType::f16), 16, 8,
                   [](int l, int r, int e) { return position_c(MatrixType::f16, l, r, e); });
}

TEST(MmaFragments, OfAccumulatorsArePairsInRowGroupAndGroupPlusEight) {
  EXPECT_EQ(position_c(MatrixType::f32, 5, 1, 0), (MatrixPosition{1, 3}));
  EXPECT_EQ(position_c(MatrixType::f32, 5, 2, 0), (MatrixPosition{9, 2}));
  EXPECT_EQ(position_c(MatrixType::f16, 5, 1, 1), (MatrixPosition{9, 3}));
}

TEST(MmaFragments, OfM8n8k4CoverFourMatricesOnce) {
  for (const bool row_major : {true, false}) {
    std::set<std::tuple<int, int, int>> a, b, half, single;
    for (int lane = 0; lane < 32; ++lane) {
      for (int e = 0; e < 4; ++e) {
        const MatrixPosition in_a = quad_position_a(row_major, lane, e), in_b = quad_position_b(row_major, lane, e);
        a.emplace(quad_product(lane), in_a.row, in_a.column);
        b.emplace(quad_product(lane), in_b.row, in_b.column);
      }
      for (int e = 0; e < 8; ++e) {
        const MatrixPosition in_half = quad_position_c(MatrixType::f16, lane, e),
                             in_single = quad_position_c(MatrixType::f32, lane, e);
        half.emplace(quad_product(lane), in_half.row, in_half.column);
        single.emplace(quad_product(lane), in_single.row, in_single.column);
      }
    }
    EXPECT_EQ(a.size(), 4U * 8 * 4);
    EXPECT_EQ(b.size(), 4U * 4 * 8);
    EXPECT_EQ(half.size(), 4U * 8 * 8);
    EXPECT_EQ(single.size(), 4U * 8 * 8);
  }
  EXPECT_EQ(quad_product(22), 1);
  EXPECT_EQ(quad_position_c(MatrixType::f32, 19, 7),
            (MatrixPosition{7, 7}));  // X = (19 & 1) + (7 & 2) + 4, column 4 + 2 + 1
}

}  // namespace
}  // namespace parity::ptx

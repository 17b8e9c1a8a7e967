// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Registers of warpgroups, and matrices loaded from and stored to shared memory: positions read off the ISA's figures.
#include "optimized/ptx/matrix/warpgroup_fragment.hpp"

#include <set>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "optimized/ptx/matrix/load_matrix.hpp"
#include "optimized/ptx/matrix/testing/bijection.hpp"

namespace parity::ptx {
namespace {

TEST(WarpgroupFragments, OfEveryNCoverDAndAOnce) {
  for (int n = 8; n <= 256; n += 8) {
    for (const MatrixType type : {MatrixType::f32, MatrixType::f16}) {
      expect_bijection(128, warpgroup_fragment_d(n, type), 64, n,
                       [&](int l, int r, int e) { return warpgroup_position_d(type, l, r, e); });
    }
  }
  for (const MatrixType type : {MatrixType::f16, MatrixType::tf32, MatrixType::e4m3, MatrixType::s8, MatrixType::b1}) {
    const MmaShape shape = warpgroup_shape(64, type);
    expect_bijection(128, warpgroup_fragment_a(type), 64, shape.k,
                     [&](int l, int r, int e) { return warpgroup_position_a(type, l, r, e); });
  }
}

TEST(WarpgroupFragments, AreThoseOfTheFigures) {
  // Figure 149: T0 holds d0 d1 at (0, 0..1), d2 d3 at (8, 0..1), d4 at (0, 8); T37 of the second warp (17, 2).
  EXPECT_EQ(warpgroup_position_d(MatrixType::f32, 0, 3, 0), (MatrixPosition{8, 1}));
  EXPECT_EQ(warpgroup_position_d(MatrixType::f32, 0, 4, 0), (MatrixPosition{0, 8}));
  EXPECT_EQ(warpgroup_position_d(MatrixType::f32, 37, 0, 0), (MatrixPosition{17, 2}));
  EXPECT_EQ(warpgroup_position_d(MatrixType::f16, 37, 3, 1), (MatrixPosition{25, 11}));
  // Figure 148: a2 a3 of T0 at (8, 0..1), a4 a5 at (0, 8..9).
  EXPECT_EQ(warpgroup_position_a(MatrixType::f16, 0, 1, 1), (MatrixPosition{8, 1}));
  EXPECT_EQ(warpgroup_position_a(MatrixType::f16, 96, 2, 0), (MatrixPosition{48, 8}));
}

TEST(WarpgroupFragments, OfShapesThatWgmmaHasNotAreRefused) {
  EXPECT_THROW(static_cast<void>(warpgroup_shape(12, MatrixType::f16)), Error);
  EXPECT_THROW(static_cast<void>(warpgroup_shape(264, MatrixType::f16)), Error);
  EXPECT_THROW(static_cast<void>(warpgroup_shape(40, MatrixType::s8)), Error);
  EXPECT_THROW(static_cast<void>(warpgroup_shape(64, MatrixType::f64)), Error);
  EXPECT_EQ(warpgroup_shape(40, MatrixType::e4m3), (MmaShape{64, 40, 32}));
}

TEST(LoadMatrix, GivesEachLaneTwoNeighboursOfARowOrOfAColumn) {
  EXPECT_EQ(row_byte_b16(false, 13, 0, 1), (RowByte{3, 6}));  // row 13 / 4, column 2 (13 % 4) + 1
  EXPECT_EQ(row_byte_b16(true, 13, 0, 1), (RowByte{3, 6}));   // row 2 (13 % 4) + 1, column 13 / 4
  EXPECT_EQ(row_byte_b16(true, 2, 3, 0), (RowByte{28, 0}));   // the fourth matrix: lanes 24 to 31
  std::set<std::pair<int, int>> seen;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 8; ++i) {
      const RowByte at = row_byte_b16(true, lane, i / 2, i % 2);
      seen.emplace(at.lane, at.byte);
    }
  }
  EXPECT_EQ(seen.size(), 256U);
}

TEST(LoadMatrix, WithBytesReadsAndWritesEachByteOnce) {
  std::set<std::pair<int, int>> loaded, stored;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 16; ++i) {
      const RowByte in = loaded_row_byte_b8(lane, i / 4, i % 4), out = stored_row_byte_b8(lane, i / 4, i % 4);
      loaded.emplace(in.lane, in.byte);
      stored.emplace(out.lane, out.byte);
    }
  }
  EXPECT_EQ(loaded.size(), 512U);
  EXPECT_EQ(stored.size(), 512U);
}

TEST(MoveMatrix, TransposesWhatLoadMatrixLoads) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int e = 0; e < 2; ++e) {
      const LaneHalf from = moved_half(lane, e);
      EXPECT_EQ(row_byte_b16(false, from.lane, 0, from.element), row_byte_b16(true, lane, 0, e));
    }
  }
}

}  // namespace
}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Fragment maps against the formulas of PTX ISA 9.7.14.5 and 9.7.15.5, as they are written there.
#include "optimized/ptx/matrix/fragment.hpp"

#include <functional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "optimized/ptx/matrix/load_matrix.hpp"
#include "optimized/ptx/matrix/mma.hpp"
#include "optimized/ptx/matrix/quad_fragment.hpp"
#include "optimized/ptx/matrix/warpgroup_fragment.hpp"

namespace parity::ptx {
namespace {

using Type = MatrixType;
/// (group, thread in group, number of the element in the lane) -> position, as the ISA counts.
using Formula = std::function<Position(int g, int t, int i)>;

struct Row {
  const char* section;
  MmaShape shape;
  Type type;
  Formula a, b;
};

const std::vector<Row>& formulas() {
  static const std::vector<Row> kRows{
      {"2",
       {8, 8, 4},
       Type::f64,
       [](int g, int t, int) {
         return Position{g, t};
       },
       [](int g, int t, int) {
         return Position{t, g};
       }},
      {"3",
       {8, 8, 16},
       Type::s8,
       [](int g, int t, int i) {
         return Position{g, t * 4 + i};
       },
       [](int g, int t, int i) {
         return Position{t * 4 + i, g};
       }},
      {"4",
       {8, 8, 32},
       Type::u4,
       [](int g, int t, int i) {
         return Position{g, t * 8 + i};
       },
       [](int g, int t, int i) {
         return Position{t * 8 + i, g};
       }},
      {"5",
       {8, 8, 128},
       Type::b1,
       [](int g, int t, int i) {
         return Position{g, t * 32 + i};
       },
       [](int g, int t, int i) {
         return Position{t * 32 + i, g};
       }},
      {"6",
       {16, 8, 4},
       Type::tf32,
       [](int g, int t, int i) {
         return Position{i == 0 ? g : g + 8, t};
       },
       [](int g, int t, int) {
         return Position{t, g};
       }},
      {"7, f16",
       {16, 8, 8},
       Type::bf16,
       [](int g, int t, int i) {
         return Position{i < 2 ? g : g + 8, t * 2 + (i & 1)};
       },
       [](int g, int t, int i) {
         return Position{t * 2 + i, g};
       }},
      {"7, tf32",
       {16, 8, 8},
       Type::tf32,
       [](int g, int t, int i) {
         return Position{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
       },
       [](int g, int t, int i) {
         return Position{i == 0 ? t : t + 4, g};
       }},
      {"8, f16",
       {16, 8, 16},
       Type::f16,
       [](int g, int t, int i) {
         return Position{i < 2 || (4 <= i && i < 6) ? g : g + 8, t * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
       },
       [](int g, int t, int i) {
         return Position{t * 2 + (i & 1) + (i >= 2 ? 8 : 0), g};
       }},
      {"8, f64",
       {16, 8, 16},
       Type::f64,
       [](int g, int t, int i) {
         return i % 2 == 0 ? Position{g, i * 2 + t} : Position{g + 8, i * 2 - 2 + t};
       },
       [](int g, int t, int i) {
         return Position{t + i * 4, g};
       }},
      {"9",
       {16, 8, 16},
       Type::u8,
       [](int g, int t, int i) {
         return Position{i < 4 ? g : g + 8, t * 4 + (i & 3)};
       },
       [](int g, int t, int i) {
         return Position{t * 4 + i, g};
       }},
      {"10, s4",
       {16, 8, 32},
       Type::s4,
       [](int g, int t, int i) {
         return Position{i < 8 ? g : g + 8, t * 8 + (i & 7)};
       },
       [](int g, int t, int i) {
         return Position{t * 8 + (i & 7), g};
       }},
      {"10, e4m3",
       {16, 8, 32},
       Type::e4m3,
       [](int g, int t, int i) {
         return Position{i < 4 || (8 <= i && i < 12) ? g : g + 8, t * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
       },
       [](int g, int t, int i) {
         return Position{t * 4 + (i & 3) + (i >= 4 ? 16 : 0), g};
       }},
      {"11",
       {16, 8, 64},
       Type::s4,
       [](int g, int t, int i) {
         return Position{i < 8 || (16 <= i && i < 24) ? g : g + 8, t * 8 + (i & 7) + (i >= 16 ? 32 : 0)};
       },
       [](int g, int t, int i) {
         return Position{t * 8 + (i & 7) + (i >= 8 ? 32 : 0), g};
       }},
      {"13",
       {16, 8, 256},
       Type::b1,
       [](int g, int t, int i) {
         return Position{i < 32 || (64 <= i && i < 96) ? g : g + 8, t * 32 + (i & 31) + (i >= 64 ? 128 : 0)};
       },
       [](int g, int t, int i) {
         return Position{t * 32 + (i & 31) + (i >= 32 ? 128 : 0), g};
       }}};
  return kRows;
}

TEST(MmaFragments, OfAAndBAreThoseOfTheIsasFormulas) {
  for (const Row& row : formulas()) {
    const Fragment a = fragment_a(row.shape, row.type);
    const Fragment b = fragment_b(row.shape, row.type);
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < a.registers * a.elements; ++i) {
        ASSERT_EQ(position_a(row.shape, row.type, lane, i / a.elements, i % a.elements), row.a(lane / 4, lane % 4, i))
            << "9.7.14.5." << row.section << " lane " << lane << " a" << i;
      }
      for (int i = 0; i < b.registers * b.elements; ++i) {
        ASSERT_EQ(position_b(row.type, lane, i / b.elements, i % b.elements), row.b(lane / 4, lane % 4, i))
            << "9.7.14.5." << row.section << " lane " << lane << " b" << i;
      }
    }
  }
}

/// Visits every position of a fragment; returns how many there are, and expects that none comes twice or lies outside.
template <class Map>
void expect_bijection(int lanes, const Fragment& fragment, int rows, int columns, const Map& map) {
  std::set<std::pair<int, int>> seen;
  for (int lane = 0; lane < lanes; ++lane) {
    for (int number = 0; number < fragment.registers; ++number) {
      for (int element = 0; element < fragment.elements; ++element) {
        const Position at = map(lane, number, element);
        ASSERT_TRUE(at.row >= 0 && at.row < rows && at.column >= 0 && at.column < columns);
        ASSERT_TRUE(seen.emplace(at.row, at.column).second) << lane << " " << number << " " << element;
      }
    }
  }
  ASSERT_EQ(seen.size(), static_cast<size_t>(rows * columns));
}

TEST(MmaFragments, CoverEachMatrixOnce) {
  for (const Row& row : formulas()) {
    const auto& [m, n, k] = row.shape;
    const Type c = row.type == Type::f64 ? Type::f64 : Type::s32;
    expect_bijection(32, fragment_a(row.shape, row.type), m, k,
                     [&](int l, int r, int e) { return position_a(row.shape, row.type, l, r, e); });
    expect_bijection(32, fragment_b(row.shape, row.type), k, n,
                     [&](int l, int r, int e) { return position_b(row.type, l, r, e); });
    expect_bijection(32, fragment_c(row.shape, c), m, n, [&](int l, int r, int e) { return position_c(c, l, r, e); });
  }
  expect_bijection(32, fragment_c({16, 8, 16}, Type::f16), 16, 8,
                   [](int l, int r, int e) { return position_c(Type::f16, l, r, e); });
}

TEST(MmaFragments, OfAccumulatorsArePairsInRowGroupAndGroupPlusEight) {
  EXPECT_EQ(position_c(Type::f32, 5, 1, 0), (Position{1, 3}));
  EXPECT_EQ(position_c(Type::f32, 5, 2, 0), (Position{9, 2}));
  EXPECT_EQ(position_c(Type::f16, 5, 1, 1), (Position{9, 3}));
}

TEST(MmaFragments, OfM8n8k4CoverFourMatricesOnce) {
  for (const bool row_major : {true, false}) {
    std::set<std::tuple<int, int, int>> a, b, half, single;
    for (int lane = 0; lane < 32; ++lane) {
      for (int e = 0; e < 4; ++e) {
        const Position in_a = quad_position_a(row_major, lane, e), in_b = quad_position_b(row_major, lane, e);
        a.emplace(quad_product(lane), in_a.row, in_a.column);
        b.emplace(quad_product(lane), in_b.row, in_b.column);
      }
      for (int e = 0; e < 8; ++e) {
        const Position in_half = quad_position_c(Type::f16, lane, e), in_single = quad_position_c(Type::f32, lane, e);
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
  EXPECT_EQ(quad_position_c(Type::f32, 19, 7), (Position{7, 7}));  // X = (19 & 1) + (7 & 2) + 4, column 4 + 2 + 1
}

TEST(WarpgroupFragments, OfEveryNCoverDAndAOnce) {
  for (int n = 8; n <= 256; n += 8) {
    for (const Type type : {Type::f32, Type::f16}) {
      expect_bijection(128, warpgroup_fragment_d(n, type), 64, n,
                       [&](int l, int r, int e) { return warpgroup_position_d(type, l, r, e); });
    }
  }
  for (const Type type : {Type::f16, Type::tf32, Type::e4m3, Type::s8, Type::b1}) {
    const MmaShape shape = warpgroup_shape(64, type);
    expect_bijection(128, warpgroup_fragment_a(type), 64, shape.k,
                     [&](int l, int r, int e) { return warpgroup_position_a(type, l, r, e); });
  }
}

TEST(WarpgroupFragments, AreThoseOfTheFigures) {
  // Figure 149: T0 holds d0 d1 at (0, 0..1), d2 d3 at (8, 0..1), d4 at (0, 8); T37 of the second warp (17, 2).
  EXPECT_EQ(warpgroup_position_d(Type::f32, 0, 3, 0), (Position{8, 1}));
  EXPECT_EQ(warpgroup_position_d(Type::f32, 0, 4, 0), (Position{0, 8}));
  EXPECT_EQ(warpgroup_position_d(Type::f32, 37, 0, 0), (Position{17, 2}));
  EXPECT_EQ(warpgroup_position_d(Type::f16, 37, 3, 1), (Position{25, 11}));
  // Figure 148: a2 a3 of T0 at (8, 0..1), a4 a5 at (0, 8..9).
  EXPECT_EQ(warpgroup_position_a(Type::f16, 0, 1, 1), (Position{8, 1}));
  EXPECT_EQ(warpgroup_position_a(Type::f16, 96, 2, 0), (Position{48, 8}));
}

TEST(WarpgroupFragments, OfShapesThatWgmmaHasNotAreRefused) {
  EXPECT_THROW(static_cast<void>(warpgroup_shape(12, Type::f16)), Error);
  EXPECT_THROW(static_cast<void>(warpgroup_shape(264, Type::f16)), Error);
  EXPECT_THROW(static_cast<void>(warpgroup_shape(40, Type::s8)), Error);
  EXPECT_THROW(static_cast<void>(warpgroup_shape(64, Type::f64)), Error);
  EXPECT_EQ(warpgroup_shape(40, Type::e4m3), (MmaShape{64, 40, 32}));
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

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/counting/banks.hpp"

#include <gtest/gtest.h>

namespace parity::ptx {
namespace {

using Offsets = std::array<uint64_t, kLanes>;

/// Lane l at l * stride bytes.
WavefrontCount strided_lanes(uint32_t stride, uint32_t bytes, Mask mask = kAllLanes, bool apart = false) {
  Offsets offsets;
  for (uint32_t lane = 0; lane < kLanes; ++lane) offsets[lane] = uint64_t{lane} * stride;
  return wavefronts(offsets, mask, bytes, apart);
}

TEST(PtxBanks, NeighbouringWordsOfAnyWidthNeedTheLeast) {
  EXPECT_EQ(strided_lanes(1, 1), (WavefrontCount{1, 1, 1}));
  EXPECT_EQ(strided_lanes(2, 2), (WavefrontCount{1, 1, 1}));
  EXPECT_EQ(strided_lanes(4, 4), (WavefrontCount{1, 1, 1}));
  EXPECT_EQ(strided_lanes(8, 8), (WavefrontCount{1, 2, 2}));
  EXPECT_EQ(strided_lanes(16, 16), (WavefrontCount{1, 4, 4}));
}

TEST(PtxBanks, StridesOf32BitsConflictByTheirPowerOfTwo) {
  for (const uint32_t words : {1U, 3U, 31U, 33U}) EXPECT_EQ(strided_lanes(4 * words, 4).conflicts(), 0U) << words;
  for (const uint32_t words : {2U, 4U, 8U, 16U, 32U}) EXPECT_EQ(strided_lanes(4 * words, 4).wavefronts, words);
  EXPECT_EQ(strided_lanes(4 * 6, 4).wavefronts, 2U);
}

TEST(PtxBanks, HalvesOfAWarpDoNotConflictIn64Bits) {
  EXPECT_EQ(strided_lanes(16, 8), (WavefrontCount{1, 4, 2})) << "every other pair of words: two ways in each half";
  EXPECT_EQ(strided_lanes(128, 8), (WavefrontCount{1, 32, 2})) << "16 lanes of a half at the same two banks";
  EXPECT_EQ(strided_lanes(8, 8, 0x0000'FFFF), (WavefrontCount{1, 1, 1})) << "the other half is not there";
}

TEST(PtxBanks, QuartersOfAWarpDoNotConflictIn128Bits) {
  EXPECT_EQ(strided_lanes(32, 16), (WavefrontCount{1, 8, 4})) << "two ways in each quarter";
  EXPECT_EQ(strided_lanes(128 + 16, 16).conflicts(), 0U)
      << "rows of 128 bytes with a padding of 16: as ldmatrix likes them";
  EXPECT_EQ(strided_lanes(128, 16).wavefronts, 32U);
}

TEST(PtxBanks, AWordForAllLanesIsDeliveredOnceAndChangedByEach) {
  EXPECT_EQ(strided_lanes(0, 4), (WavefrontCount{1, 1, 1}));
  EXPECT_EQ(strided_lanes(0, 4, kAllLanes, true), (WavefrontCount{1, 32, 1}));
  EXPECT_EQ(strided_lanes(0, 4, 0), WavefrontCount{});
}

}  // namespace
}  // namespace parity::ptx

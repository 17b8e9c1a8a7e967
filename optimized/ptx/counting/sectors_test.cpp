// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/counting/sectors.hpp"

#include <gtest/gtest.h>

namespace parity::ptx {
namespace {

constexpr uint64_t kBase = 0x7000'0000'0000;

std::array<uint64_t, kLanes> strided(uint64_t base, uint32_t stride) {
  std::array<uint64_t, kLanes> addresses;
  for (uint32_t lane = 0; lane < kLanes; ++lane) addresses[lane] = base + uint64_t{lane} * stride;
  return addresses;
}

SectorCount count(uint64_t base, uint32_t stride, uint32_t bytes, Mask mask = kAllLanes) {
  return Sectors(strided(base, stride), mask, bytes).count();
}

TEST(PtxSectors, ARowIsCoalescedAtItsAlignmentAlone) {
  EXPECT_EQ(count(kBase, 4, 4), (SectorCount{1, 1, 4, 4, 128}));
  EXPECT_EQ(count(kBase + 4, 4, 4), (SectorCount{1, 0, 5, 4, 128}));
  EXPECT_EQ(count(kBase, 16, 16), (SectorCount{1, 1, 16, 16, 512}));
  EXPECT_EQ(count(kBase, 32, 32), (SectorCount{1, 1, 32, 32, 1024}));
}

TEST(PtxSectors, OneWordForAllLanesIsOneSector) { EXPECT_EQ(count(kBase, 0, 4), (SectorCount{1, 1, 1, 1, 4})); }

TEST(PtxSectors, TheOrderOfLanesDoesNotMatter) {
  auto addresses = strided(kBase, 4);
  std::swap(addresses[0], addresses[31]);
  std::swap(addresses[3], addresses[17]);

  EXPECT_EQ(Sectors(addresses, kAllLanes, 4).count(), (SectorCount{1, 1, 4, 4, 128}));
}

TEST(PtxSectors, OnlyLanesOfTheMaskCount) {
  EXPECT_EQ(count(kBase, 4, 4, 0x1), (SectorCount{1, 1, 1, 1, 4}));
  EXPECT_EQ(count(kBase, 4, 4, 0x8000'0001), (SectorCount{1, 0, 2, 1, 8}));
  EXPECT_EQ(count(kBase, 4, 4, 0), SectorCount{});
}

TEST(PtxSectors, LocalWordsOfTheSameOffsetLieSideBySide) {
  std::array<uint64_t, kLanes> same{}, apart{};
  for (uint32_t lane = 0; lane < kLanes; ++lane) apart[lane] = uint64_t{lane} * 4;

  EXPECT_EQ(local_sectors(same, kAllLanes, 4), (SectorCount{1, 1, 4, 4, 128}));
  EXPECT_EQ(local_sectors(same, kAllLanes, 8), (SectorCount{1, 1, 8, 8, 256}));
  EXPECT_EQ(local_sectors(apart, kAllLanes, 4), (SectorCount{1, 0, 32, 4, 128}));
}

}  // namespace
}  // namespace parity::ptx

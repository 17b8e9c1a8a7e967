// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/bound/occupancy.hpp"

#include <gtest/gtest.h>

namespace parity::ptx {
namespace {

/// 65536 registers, 2048 threads, 32 blocks, 228 KiB.
const Residency& sm() { return gpu("h100").residency; }

void expect(const BlockNeeds& block, uint32_t blocks, double share, const char* limit) {
  const Occupancy got = occupancy_of(block, sm());

  EXPECT_EQ(got.blocks, blocks);
  EXPECT_DOUBLE_EQ(got.share, share);
  EXPECT_STREQ(got.limit, limit);
}

TEST(PtxOccupancy, FewRegistersLeaveAllThreadsResident) { expect({256, 32, 0}, 8, 1, "threads"); }

TEST(PtxOccupancy, RegistersAreTakenInUnitsOfAWarp) {
  expect({256, 33, 0}, 6, 0.75, "registers");  // 33 x 32 is rounded up to 1280: 12 warps in each part, not 15
  expect({256, 128, 0}, 2, 0.25, "registers");
}

TEST(PtxOccupancy, SmallBlocksAreLimitedInNumber) { expect({32, 16, 0}, 32, 0.5, "blocks"); }

TEST(PtxOccupancy, TheSystemTakesSharedMemoryOfEachBlock) {
  expect({128, 32, 75 * 1024}, 3, 3.0 / 16, "shared memory");  // 76 KiB with the system's
  expect({128, 32, 76 * 1024}, 2, 2.0 / 16, "shared memory");
}

TEST(PtxOccupancy, ABlockThatDoesNotFitIsNone) {
  expect({1024, 96, 0}, 0, 0, "registers");
  expect({32, 32, 228 * 1024}, 0, 0, "shared memory");
}

}  // namespace
}  // namespace parity::ptx

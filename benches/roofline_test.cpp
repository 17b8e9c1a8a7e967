// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/roofline.hpp"

#include <gtest/gtest.h>

namespace parity::benches {
namespace {

/// 100 f32 operations, 200 bf16 operations, 10 bytes copied, 40 read per second; 64 bytes of caches.
constexpr Peaks kPeaks{.f32 = 100, .bf16 = 200, .copy = 10, .read = 40, .cache = 64};

TEST(Roofline, HoldsPairsOfBytesToTheCopyAndTheRestToReading) {
  EXPECT_DOUBLE_EQ(memory_seconds(kPeaks, {0, 80, 0}), 2.0);
  EXPECT_DOUBLE_EQ(memory_seconds(kPeaks, {0, 50, 50}), 10.0);
  EXPECT_DOUBLE_EQ(memory_seconds(kPeaks, {0, 90, 50}), 10.0 + 1.0);
  EXPECT_DOUBLE_EQ(memory_seconds(kPeaks, {0, 10, 50}), 6.0);  // what is only written is no faster than a copy
}

TEST(Roofline, IsTheSlowerOfProductsAndMemory) {
  EXPECT_DOUBLE_EQ(ideal_seconds(kPeaks, DType::f32, {300, 80, 0}, false), 3.0);
  EXPECT_DOUBLE_EQ(ideal_seconds(kPeaks, DType::bf16, {300, 80, 0}, false), 2.0);
  EXPECT_DOUBLE_EQ(ideal_seconds(kPeaks, DType::bf16, {300, 80, 0}, true), 1.5);
}

TEST(Roofline, MemoryIsNoLimitOfWarmOperandsThatFitIntoTheCaches) {
  EXPECT_TRUE(is_cached(kPeaks, {1, 32, 32}, false));
  EXPECT_FALSE(is_cached(kPeaks, {1, 32, 32}, true));
  EXPECT_FALSE(is_cached(kPeaks, {1, 32, 33}, false));
}

}  // namespace
}  // namespace parity::benches

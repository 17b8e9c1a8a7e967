// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/peaks/roofline.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "benches/measure.hpp"
#include "benches/peaks/peak_loops.hpp"
#include "core/workspace.hpp"

namespace parity::benches {
namespace {

/// Rates per second: 100 f32 operations, 200 bf16 operations, 10 bytes copied, 40 bytes read; 64 bytes of caches.
constexpr Peaks kPeaks{.f32 = 100, .bf16 = 200, .copy = 10, .read = 40, .cache = 64};

TEST(Roofline, HoldsPairsOfBytesToTheCopyAndTheRestToReading) {
  EXPECT_DOUBLE_EQ(memory_seconds(kPeaks, {0, 80, 0}, false), 2.0);
  EXPECT_DOUBLE_EQ(memory_seconds(kPeaks, {0, 50, 50}, false), 10.0);
  EXPECT_DOUBLE_EQ(memory_seconds(kPeaks, {0, 90, 50}, false), 10.0 + 1.0);
  EXPECT_DOUBLE_EQ(memory_seconds(kPeaks, {0, 10, 50}, false), 6.0);  // writes alone are no faster than a copy
}

TEST(Roofline, ColdCallsAreHeldToColdRates) {
  Peaks peaks = kPeaks;
  EXPECT_DOUBLE_EQ(memory_seconds(peaks, {0, 90, 50}, true), 10.0 + 1.0);  // no cold rates, because nothing was flushed
  peaks.cold_copy = 5;
  peaks.cold_read = 20;

  EXPECT_DOUBLE_EQ(memory_seconds(peaks, {0, 90, 50}, true), 20.0 + 2.0);
  EXPECT_DOUBLE_EQ(memory_seconds(peaks, {0, 90, 50}, false), 10.0 + 1.0);
  EXPECT_DOUBLE_EQ(ideal_seconds(peaks, DType::f32, {0, 80, 0}, true), 4.0);
  EXPECT_EQ(share_of(peaks, DType::f32, {0, 80, 0}, true, 8.0).text(), "50% of memory");
}

TEST(Roofline, IsTheSlowerOfProductsAndMemory) {
  EXPECT_DOUBLE_EQ(ideal_seconds(kPeaks, DType::f32, {300, 80, 0}, false), 3.0);
  EXPECT_DOUBLE_EQ(ideal_seconds(kPeaks, DType::bf16, {300, 80, 0}, false), 2.0);
  EXPECT_DOUBLE_EQ(ideal_seconds(kPeaks, DType::bf16, {300, 32, 0}, false), 1.5);
}

TEST(Roofline, APeakIsTheBestThatTheLevelOrTheLibraryReaches) {
  const Peaks level = with_best({.f32_loop = 5, .bf16_loop = 3, .f32_product = 4, .bf16_product = 2});
  EXPECT_DOUBLE_EQ(level.f32, 5.0);
  EXPECT_DOUBLE_EQ(level.bf16, 5.0);  // bf16 is widened
  EXPECT_DOUBLE_EQ(loop_of(level, DType::bf16), 5.0);

  const Peaks library = with_best({.f32_loop = 5, .bf16_loop = 6, .f32_product = 7, .bf16_product = 40});
  EXPECT_DOUBLE_EQ(library.f32, 7.0);
  EXPECT_DOUBLE_EQ(library.bf16, 40.0);
  EXPECT_DOUBLE_EQ(loop_of(library, DType::bf16), 6.0);
}

TEST(Roofline, MemoryIsNoLimitOfWarmOperandsThatFitIntoTheCaches) {
  EXPECT_TRUE(is_cached(kPeaks, {1, 32, 32}, false));
  EXPECT_FALSE(is_cached(kPeaks, {1, 32, 32}, true));
  EXPECT_FALSE(is_cached(kPeaks, {1, 32, 33}, false));
}

TEST(Peaks, AreThere) {
  PeakMeter meter;
  meter.probe(1);
  const Peaks peaks = meter.peaks();

  for (double Peaks::*rate : {&Peaks::f32, &Peaks::bf16, &Peaks::copy, &Peaks::read, &Peaks::cache})
    EXPECT_GT(peaks.*rate, 0.0);
}

TEST(Peaks, CopiesPastTheCachesAreCopies) {
  constexpr int64_t kBytes = 4096;
  const auto from = host().allocate(kBytes), to = host().allocate(kBytes);
  for (int64_t i = 0; i < kBytes; ++i) from.get()[i] = static_cast<std::byte>(i * 7 % 251);

  copy_past_caches(to.get(), from.get(), kBytes);

  EXPECT_EQ(std::memcmp(from.get(), to.get(), kBytes), 0);
}

TEST(Share, SaysWhatBinds) {
  const Peaks peaks = with_best({.copy = 10, .read = 40, .cache = 64, .f32_loop = 100, .f32_product = 200});

  const Share products = share_of(peaks, DType::f32, {400, 40, 0}, true, 8.0);
  EXPECT_EQ(products.text(), "25% of products (50% of the loop)");
  EXPECT_EQ(products.note(), "");
  EXPECT_EQ(share_of(peaks, DType::f32, {0, 80, 0}, false, 4.0).text(), "50% of memory");
  EXPECT_EQ(share_of(peaks, DType::f32, {0, 40, 0}, false, 4.0).text(), "cached");
}

TEST(Share, BeyondThePeakIsMarkedAndExplained) {
  const Share products = share_of(kPeaks, DType::f32, {300, 0, 0}, false, 2.5);
  EXPECT_TRUE(products.beyond());
  EXPECT_TRUE(products.text().starts_with("120% ! of products")) << products.text();
  EXPECT_NE(products.note(), "");

  const Share memory = share_of(kPeaks, DType::f32, {0, 80, 0}, false, 1.0);
  EXPECT_EQ(memory.text(), "200% ! of memory");
  EXPECT_NE(memory.note(), products.note());
}

}  // namespace
}  // namespace parity::benches

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/counting/testing/textbook.hpp"

#include <gtest/gtest.h>

namespace parity::ptx {
namespace {

constexpr uint64_t kWarps = 4 * 32;  // of the four blocks that transpose 64 x 64

TEST(PtxTextbook, StoresDownColumnsTouchASectorForEachLane) {
  const Counters counters = transposed("transpose_naive");
  const SectorCount loads = cost_of(counters, "ld.global.f32").of(Traffic::load);
  const SectorCount stores = cost_of(counters, "st.global.f32").of(Traffic::store);

  EXPECT_EQ(loads, (SectorCount{kWarps, kWarps, kWarps * 4, kWarps * 4, kWarps * 128}));
  EXPECT_EQ(stores, (SectorCount{kWarps, 0, kWarps * 32, kWarps * 4, kWarps * 128}));
}

TEST(PtxTextbook, ATileWithoutPaddingConflicts32Ways) {
  const Counters counters = transposed("transpose_tiled");
  const Cost loads = cost_of(counters, "ld.shared.f32"), stores = cost_of(counters, "st.shared.f32");

  EXPECT_EQ(loads.shared, (WavefrontCount{kWarps, kWarps * 32, kWarps}));
  EXPECT_EQ(stores.shared.conflicts(), 0U);
  EXPECT_EQ(cost_of(counters, "st.global.f32").of(Traffic::store).coalesced, kWarps);
}

TEST(PtxTextbook, ATileWithPaddingHasNoConflicts) {
  const Counters counters = transposed("transpose_padded");

  EXPECT_EQ(cost_of(counters, "ld.shared.f32").shared, (WavefrontCount{kWarps, kWarps, kWarps}));
  EXPECT_EQ(counters.counted().shared.conflicts(), 0U);
}

TEST(PtxTextbook, AllTransposesMoveTheSameBytes) {
  for (const char* kernel : {"transpose_naive", "transpose_tiled", "transpose_padded"}) {
    const UniqueBytes unique = transposed(kernel).unique.value();
    EXPECT_EQ(unique.read, 4096U * 4) << kernel;
    EXPECT_EQ(unique.written, 4096U * 4) << kernel;
    EXPECT_EQ(unique.by_traffic.at(static_cast<size_t>(Traffic::load)), 4096U * 4) << kernel;
  }
}

TEST(PtxTextbook, StridedLoadsTouchMoreSectorsUpToOneForEachLane) {
  const std::vector<std::pair<int32_t, uint64_t>> expected{{1, 4}, {2, 8}, {4, 16}, {8, 32}, {32, 32}};
  for (const auto& [stride, sectors] : expected) {
    const Counters counters = counters_of({.kernel = "copy_strided", .grid = {2, 1, 1}, .read = 2048, .last = stride});
    const SectorCount loads = cost_of(counters, "ld.global.f32").of(Traffic::load);
    EXPECT_EQ(loads.requests, 2U);
    EXPECT_EQ(loads.sectors, 2 * sectors) << "stride " << stride;
    EXPECT_EQ(loads.coalesced, stride == 1 ? 2U : 0U) << "stride " << stride;
    EXPECT_EQ(counters.unique.value().read, 2U * 32 * 4) << "stride " << stride;
  }
}

TEST(PtxTextbook, AnInterleavedReductionConflictsAndASequentialOneDoesNot) {
  const Exercise exercise{.kernel = "reduce_interleaved", .block = {256, 1, 1}};
  // Strides of 2 to 256 words: 4 warps in 2 ways, 2 in 4, one in 8, then 16, 8, 4, 2 and 1 lanes of one warp.
  constexpr uint64_t kConflicts = 4 * 1 + 2 * 3 + 7 + 7 + 7 + 3 + 1 + 0, kRequests = 4 + 2 + 6;
  const Counters interleaved = counters_of(exercise);
  Exercise other = exercise;
  other.kernel = "reduce_sequential";
  const Counters sequential = counters_of(other);

  // Two loads and a store in the loop, a store by 8 warps before it, a load after it.
  EXPECT_EQ(interleaved.counted().shared, (WavefrontCount{3 * kRequests + 9, 3 * (kRequests + kConflicts) + 9,  //
                                                          3 * kRequests + 9}));
  EXPECT_EQ(sequential.counted().shared, (WavefrontCount{3 * kRequests + 9, 3 * kRequests + 9, 3 * kRequests + 9}));
  EXPECT_EQ(sequential.counted().barriers, 8U * 9) << "of 8 warps: before the loop and in its 8 rounds";
}

TEST(PtxTextbook, LinesAreThoseOfTheSource) {
  const Counters counters = transposed("transpose_naive");

  for (const LineCost& line : counters.lines) {
    if (line.opcode != "st.global.f32") continue;
    EXPECT_EQ(line.position.file, "textbook.cu");
    EXPECT_EQ(line.position.line, 12U);
    EXPECT_GT(line.position.ptx_line, 0U);
    EXPECT_EQ(line.function, "transpose_naive");
  }
}

}  // namespace
}  // namespace parity::ptx

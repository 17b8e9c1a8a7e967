// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "optimized/ptx/counting/hooks.hpp"
#include "optimized/ptx/counting/testing/textbook.hpp"
#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

Counters counted(const std::string& body, Given given = {}, const std::string& before = "") {
  given.options.counters = true;
  const Ran ran = run_text(kernel_of(body, before), given);
  EXPECT_EQ(findings_of(ran), "");
  return ran.outcome.counters.value();
}

constexpr const char* kTile = ".shared .align 16 .b8 tile[4096];";

TEST(PtxCounters, AreThereWhenAskedForAlone) {
  EXPECT_FALSE(run_body("").outcome.counters.has_value());
  EXPECT_EQ(counted("").kernel, "k");
}

TEST(PtxCounters, DoNotDependOnWorkers) {
  Options options;
  const Counters alone = transposed("transpose_tiled", options);
  options.workers = 3;
  const Counters shared = transposed("transpose_tiled", options);

  ASSERT_EQ(shared.lines.size(), alone.lines.size());
  for (size_t i = 0; i < alone.lines.size(); ++i) EXPECT_EQ(shared.lines[i].cost, alone.lines[i].cost) << i;
  EXPECT_EQ(shared.unique, alone.unique);
}

TEST(PtxCounters, LanesAreThoseThatExecute) {
  const Counters counters = counted("setp.lt.u32 %p1, %r0, 10;\n@%p1 add.s32 %r1, %r0, 1;");

  EXPECT_EQ(cost_of(counters, "setp.lt.u32").lanes, 32U);
  EXPECT_EQ(cost_of(counters, "add.s32").instructions, 1U);
  EXPECT_EQ(cost_of(counters, "add.s32").lanes, 10U);
}

TEST(PtxCounters, LanesThatMeetAtAnInstructionCountOnce) {
  const Counters counters = counted(R"(
setp.lt.u32 %p1, %r0, 10;
@%p1 bra NEAR;
shfl.sync.idx.b32 %r2, %r0, 3, 31, -1;
bra END;
NEAR: shfl.sync.idx.b32 %r2, %r0, 3, 31, -1;
END: bar.sync 0;)");

  const Cost shuffles = cost_of(counters, "shfl.sync.idx.b32");
  EXPECT_EQ(shuffles.lanes, 32U);
  EXPECT_EQ(counters.counted().barriers, 1U);
}

TEST(PtxCounters, AtomicsOfOneWordAreOneSectorAndOneWavefrontForEachLane) {
  const Counters counters = counted(R"(
mov.u32 %r5, tile;
red.shared.add.u32 [%r5], 1;
red.global.add.u32 [%rd0], 1;)",
                                    {}, kTile);

  EXPECT_EQ(cost_of(counters, "red.shared.add.u32").shared, (WavefrontCount{1, 32, 1}));
  EXPECT_EQ(counters.counted().of(Traffic::atomic), (SectorCount{1, 1, 1, 1, 4}));
  EXPECT_EQ(counters.unique.value().read, 4U);
  EXPECT_EQ(counters.unique.value().written, 4U);
}

TEST(PtxCounters, AsynchronousCopiesReadGlobalAndWriteSharedMemory) {
  Given given;
  given.words = 128;
  const Counters counters = counted(R"(
mov.u32 %r5, tile; shl.b32 %r6, %r0, 4; add.s32 %r5, %r5, %r6;
mul.wide.u32 %rd2, %r0, 16; add.s64 %rd2, %rd0, %rd2;
cp.async.cg.shared.global [%r5], [%rd2], 16;
cp.async.wait_all;)",
                                    given, kTile);

  EXPECT_EQ(counters.counted().of(Traffic::async), (SectorCount{1, 1, 16, 16, 512}));
  EXPECT_EQ(counters.counted().of(Traffic::load), SectorCount{});
  EXPECT_EQ(counters.counted().shared, (WavefrontCount{1, 4, 4}));
  EXPECT_EQ(counters.unique.value().read, 512U);
}

TEST(PtxCounters, BulkCopiesCountTheirBytes) {
  Given given;
  given.block = {1, 1, 1};
  const Counters counters = counted(R"(
mov.u32 %r5, tile;
cp.async.bulk.global.shared::cta.bulk_group [%rd0+16], [%r5], 80;
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;)",
                                    given, kTile);

  EXPECT_EQ(counters.counted().of(Traffic::bulk_store), (SectorCount{1, 1, 3, 3, 80}));
  EXPECT_EQ(counters.counted().shared, (WavefrontCount{1, 1, 1}));
  EXPECT_EQ(counters.unique.value().written, 80U);
  EXPECT_EQ(counters.unique.value().read, 0U);
}

TEST(PtxCounters, LdmatrixServesEightRowsInAWavefront) {
  const auto loads = [](int stride) {
    return cost_of(counted(fmt::format(R"(
mov.u32 %r5, tile; mul.lo.u32 %r6, %r0, {};  add.s32 %r5, %r5, %r6;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r1, %r2, %r3, %r4}}, [%r5];)",
                                       stride),
                           {}, kTile),
                   "ldmatrix.sync.aligned.m8n8.x4.shared.b16")
        .shared;
  };

  EXPECT_EQ(loads(16), (WavefrontCount{1, 4, 4}));
  EXPECT_EQ(loads(128), (WavefrontCount{1, 32, 4})) << "rows of 64 halves without swizzling: eight ways";
  EXPECT_EQ(loads(112), (WavefrontCount{1, 4, 4})) << "an odd number of 16 bytes";
}

TEST(PtxCounters, ProductsCountByTypeAndShape) {
  const Counters counters = counted(R"(
mov.b32 %r1, 0;
mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0,%f1,%f2,%f3}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%f0,%f1,%f2,%f3};)");

  EXPECT_EQ(counters.counted().multiply_adds, (std::map<std::string, uint64_t>{{"bf16 m16n8k16", 16 * 8 * 16}}));
}

TEST(PtxCounters, GenericAddressesCountInTheMemoryThatTheyMean) {
  const Counters counters = counted(R"(
mov.u64 %rd3, tile; cvta.shared.u64 %rd3, %rd3; add.s64 %rd3, %rd3, %rd8;
st.u32 [%rd3], %r0;
ld.u32 %r1, [%rd9];)",
                                    {}, kTile);

  EXPECT_EQ(cost_of(counters, "st.u32").shared, (WavefrontCount{1, 1, 1}));
  EXPECT_EQ(counters.counted().of(Traffic::load), (SectorCount{1, 1, 4, 4, 128}));
  EXPECT_EQ(counters.counted().of(Traffic::store), SectorCount{});
}

TEST(PtxCounters, LocalMemoryIsNoGlobalTraffic) {
  const Counters counters =
      counted(".local .align 4 .b8 own[64];\nst.local.u32 [own+8], %r0;\nld.local.u32 %r1, [own+8];");

  EXPECT_EQ(counters.counted().local, (SectorCount{2, 2, 8, 8, 256}));
  EXPECT_EQ(counters.counted().all_global(), SectorCount{});
}

}  // namespace
}  // namespace parity::ptx

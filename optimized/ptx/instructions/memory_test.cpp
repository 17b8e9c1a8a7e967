// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

using testing::HasSubstr;

TEST(PtxMemory, VectorsSignsAndNarrowBytes) {
  EXPECT_EQ(word_of("ld.global.v2.u32 {%r2, %r1}, [%rd1+8];", {1, 2, 3, 4}), 4U);
  EXPECT_EQ(word_of("ld.global.s8 %r1, [%rd1+3];", {0x80000000U}), 0xFFFFFF80U);
  EXPECT_EQ(word_of("ld.global.u8 %r1, [%rd1+3];", {0x80000000U}), 0x80U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0x1ff; st.global.u8 [%rd0+4], %r2; ld.global.u32 %r1, [%rd0+4];"), 0xFFU);
  EXPECT_EQ(word_of("ld.global.L1::no_allocate.L2::128B.v4.u32 {%r1, _, _, %r2}, [%rd1]; add.u32 %r1, %r1, %r2;",
                    {1, 2, 3, 4}),
            5U);
}

TEST(PtxMemory, GenericAddressesReachEverySpace) {
  const std::string text = kernel_of(R"(
mov.u32 %r2, box; cvt.u64.u32 %rd2, %r2; cvta.shared.u64 %rd2, %rd2; st.u32 [%rd2], 5; ld.shared.u32 %r3, [box];
mov.u64 %rd3, own; cvta.local.u64 %rd4, %rd3; st.u32 [%rd4+4], %r0; ld.local.u32 %r4, [own+4];
mov.u64 %rd5, table; ld.u32 %r5, [%rd5+4]; isspacep.shared %p1, %rd2; selp.u32 %r6, 1000, 0, %p1;
add.u32 %r1, %r3, %r4; add.u32 %r1, %r1, %r5; add.u32 %r1, %r1, %r6; st.global.u32 [%rd9], %r1;)",
                                     ".shared .align 4 .b8 box[16]; .global .u32 table[2] = {1, 200};");
  std::string with_local = text;
  with_local.insert(with_local.find(".reg"), ".local .align 4 .b8 own[8];\n");
  const Ran ran = run_text(with_local);

  EXPECT_EQ(ran.words.at(0), 1205U) << findings_of(ran);
  EXPECT_EQ(ran.words.at(31), 1236U);
}

TEST(PtxMemory, VariablesOfAModuleStayBetweenLaunches) {
  const Program program(kernel_of("atom.global.add.u32 %r1, [counter], 1;", ".global .u32 counter = 7;"));
  Device device;
  Launch launch{.kernel = "k", .grid = {}, .block = {32, 1, 1}, .cluster = {}, .dynamic_shared = 0, .parameters = {}};
  launch.parameters.add(uint64_t{0}).add(uint64_t{0});
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(run(program, device, launch).findings.empty());

  EXPECT_EQ(device.download<uint32_t>(device.symbol(program, "counter"), 1).front(), 71U);
}

TEST(PtxAtomics, EveryLaneTakesPartAndSeesWhatWasThere) {
  const Ran ran = run_body("atom.global.add.u32 %r1, [%rd0+128], 2; st.global.u32 [%rd9], %r1;");

  EXPECT_EQ(ran.words.at(32), 64U);
  EXPECT_EQ(ran.words.at(31), 62U);
}

TEST(PtxAtomics, Operations) {
  const auto after = [](const std::string& operation, uint32_t before) {
    Given given;
    given.block = {1, 1, 1};
    return run_body("st.global.u32 [%rd0], " + std::to_string(before) + "; " + operation, given).words.at(0);
  };
  EXPECT_EQ(after("red.global.inc.u32 [%rd0], 5;", 5), 0U);
  EXPECT_EQ(after("red.global.dec.u32 [%rd0], 5;", 0), 5U);
  EXPECT_EQ(after("red.global.min.s32 [%rd0], -1;", 3), ~0U);
  EXPECT_EQ(after("red.global.min.u32 [%rd0], -1;", 3), 3U);
  EXPECT_EQ(after("atom.global.cas.b32 %r1, [%rd0], 3, 9;", 3), 9U);
  EXPECT_EQ(after("atom.global.cas.b32 %r1, [%rd0], 4, 9;", 3), 3U);
  EXPECT_EQ(after("red.global.add.f32 [%rd0], 0f3f800000;", 0x3F800000U), 0x40000000U);
  EXPECT_EQ(after("mov.u32 %r2, 0x3c003c00; red.global.add.noftz.f16x2 [%rd0], %r2;", 0x3C000000U), 0x40003C00U);
  EXPECT_THAT(refusal_of("red.global.inc.s32 [%rd0], 1;"), HasSubstr("not known of this type"));
}

TEST(PtxCopies, ArriveWhenTheyAreWaitedFor) {
  Given given = checked(32);
  given.input.assign(32, 11);
  const std::string begin =
      "add.s64 %rd7, %rd1, %rd8; mov.u32 %r2, box; shl.b32 %r3, %r0, 2; add.u32 %r2, %r2, %r3;\n"
      "cp.async.ca.shared.global [%r2], [%rd7], 4;\ncp.async.commit_group;\n";
  const std::string end = "ld.shared.u32 %r1, [%r2];\nst.global.u32 [%rd9], %r1;";
  const std::string box = ".shared .align 16 .b8 box[128];";
  const Ran waited = run_text(kernel_of(begin + "cp.async.wait_group 0;\n" + end, box), given);
  const Ran early = run_text(kernel_of(begin + "cp.async.wait_group 1;\n" + end, box), given);

  EXPECT_EQ(waited.words.at(5), 11U);
  EXPECT_EQ(findings_of(waited), "");
  EXPECT_THAT(findings_of(early), HasSubstr("in flight: k, block (0,0,0) thread (0,0,0): read"));
  EXPECT_EQ(early.words.at(5), ~0U);
}

TEST(PtxCopies, ReadNoByteThatTheyFillWithZeros) {
  Given given = checked(1);
  given.input.assign(3, 11);  // 12 bytes of 16
  const auto copied = [&](int bytes) {
    return run_text(kernel_of("mov.u32 %r2, box; mov.u32 %r3, " + std::to_string(bytes) +
                                  ";\ncp.async.cg.shared.global [%r2], [%rd1], 16, %r3;\ncp.async.commit_group;\n"
                                  "cp.async.wait_group 0;\nld.shared.u32 %r1, [%r2+12];\nst.global.u32 [%rd9], %r1;",
                              ".shared .align 16 .b8 box[16];"),
                    given);
  };
  const Ran within = copied(12), beyond = copied(16);

  EXPECT_EQ(within.words.at(0), 0U);
  EXPECT_EQ(findings_of(within), "");
  EXPECT_THAT(findings_of(beyond), HasSubstr("out of bounds"));
}

std::string bulk_kernel(const std::string& wait) {
  return kernel_of(R"(
mov.u32 %r10, bar; mov.u32 %r11, box; setp.ne.u32 %p1, %r0, 0;
@%p1 bra READY;
mbarrier.init.shared::cta.b64 [%r10], 1;
READY: bar.sync 0;
@%p1 bra WAIT;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r10], 128;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd1], 128, [%r10];
WAIT: )" + wait + R"(
shl.b32 %r3, %r0, 2; add.u32 %r2, %r11, %r3; ld.shared.u32 %r1, [%r2];
st.global.u32 [%rd9], %r1;)",
                   ".shared .align 16 .b8 box[128]; .shared .align 8 .b64 bar;");
}

/// Its first user may run first on a GPU, although the machine initialises the mbarrier before.
TEST(PtxCopies, NeedAnOrderBetweenTheInitialisationOfAnMbarrierAndItsUse) {
  Given given = checked(32);
  given.input.assign(32, 6);
  std::string text = bulk_kernel("mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r10], 0;\n@!%p2 bra WAIT;");
  text.replace(text.find("bar.sync 0;"), 11, "");

  EXPECT_THAT(findings_of(run_text(text, given)), HasSubstr("an mbarrier is used without an order"));
}

TEST(PtxCopies, InBulkCompleteAnMbarrier) {
  Given given = checked(32);
  given.input.assign(32, 6);
  const Ran ran =
      run_text(bulk_kernel("mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r10], 0;\n@!%p2 bra WAIT;"), given);
  const Ran early = run_text(bulk_kernel(""), given);

  EXPECT_EQ(ran.words.at(31), 6U);
  EXPECT_EQ(findings_of(ran), "");
  EXPECT_THAT(findings_of(early), HasSubstr("in flight"));
}

TEST(PtxClusters, ReadEachOthersSharedMemory) {
  Given given = checked(32, 4);
  given.cluster = {2, 1, 1};
  const Ran ran = run_text(kernel_of(R"(
mov.u32 %r2, %ctaid.x; mov.u32 %r3, %cluster_ctarank; mov.u32 %r4, box;
setp.ne.u32 %p1, %r0, 0;
@!%p1 st.shared.u32 [%r4], %r2;
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
xor.b32 %r5, %r3, 1; mapa.shared::cluster.u32 %r6, %r4, %r5; ld.shared::cluster.u32 %r7, [%r6];
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd2, %rd0;
@!%p1 st.global.u32 [%rd2], %r7;)",
                                     ".shared .align 4 .b8 box[4];"),
                           given);

  EXPECT_EQ(findings_of(ran), "");
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(ran.words.at(i), i ^ 1U);
}

}  // namespace
}  // namespace parity::ptx

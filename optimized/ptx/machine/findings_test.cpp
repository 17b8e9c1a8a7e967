// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

using testing::HasSubstr;

Given with_input(Given given, size_t words) {
  given.input.assign(words, 1);
  return given;
}

TEST(PtxFindings, AnAccessBeyondAnAllocationNamesItsLine) {
  Given given = with_input({}, 31);
  const Ran ran = run_body("add.s64 %rd7, %rd1, %rd8;\nld.global.u32 %r1, [%rd7];", given);

  ASSERT_EQ(ran.outcome.findings.size(), 1U);
  const Finding& finding = ran.outcome.findings.front();
  EXPECT_EQ(finding.kind, Finding::Kind::out_of_bounds);
  EXPECT_EQ(finding.thread.thread.x, 31U);
  EXPECT_EQ(finding.position.ptx_line, 10U);
  EXPECT_THAT(finding.message, HasSubstr("read of 4 global bytes at offset 124 of an allocation of 124 bytes"));
}

TEST(PtxFindings, TheSourceLineIsNamed) {
  const Ran ran = run_text(
      ".version 9.0\n.target sm_90a\n.address_size 64\n.file 1 \"dir/kernel.cu\"\n"
      ".entry k(.param .u64 a, .param .u64 b) {\n.reg .b64 %rd<3>; .reg .b32 %r<3>;\n"
      ".loc 1 42 5\nmov.u64 %rd1, 16;\nld.global.u32 %r1, [%rd1];\nret; }");

  EXPECT_THAT(findings_of(ran), HasSubstr("in no allocation, at kernel.cu:42 (PTX line 9)"));
}

TEST(PtxFindings, NameTheLineOfAnInlinedFunctionAndItsCall) {
  const Ran ran = run_text(
      ".version 9.0\n.target sm_90a\n.address_size 64\n.file 1 \"dir/kernel.cu\"\n.file 2 \"dir/helper.cuh\"\n"
      ".visible .entry k(.param .u64 p0, .param .u64 p1) {\n.reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
      ".loc 2 7 3, function_name $L__info_string0, inlined_at 1 42 5\nmov.u64 %rd1, 16;\nld.global.u32 %r1, "
      "[%rd1];\nret; }");

  ASSERT_FALSE(ran.outcome.findings.empty());
  EXPECT_THAT(findings_of(ran), HasSubstr("at helper.cuh:7, called from kernel.cu:42 (PTX line 10)"));
}

/// A kernel at dir/kernel.cu:42 that calls line 7 of `header`.
Ran inlined_from(const std::string& header) {
  return run_text(".version 9.0\n.target sm_90a\n.address_size 64\n.file 1 \"/home/me/kernel.cu\"\n.file 2 \"" +
                  header +
                  "\"\n.visible .entry k(.param .u64 p0, .param .u64 p1) {\n.reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
                  ".loc 2 7 3, function_name $L__info_string0, inlined_at 1 42 5\nmov.u64 %rd1, 16;\nld.global.u32 "
                  "%r1, [%rd1];\nret; }");
}

TEST(PtxFindings, NameTheKernelsLineBeforeAHeaderOfTheToolkit) {
  EXPECT_THAT(findings_of(inlined_from("/usr/local/cuda/include/cuda_bf16.hpp")),
              HasSubstr("at kernel.cu:42, in cuda_bf16.hpp:7 (PTX line 10)"));
  EXPECT_THAT(findings_of(inlined_from("/home/me/detail/helper.cuh")),
              HasSubstr("at helper.cuh:7, called from kernel.cu:42 (PTX line 10)"));
}

TEST(PtxFindings, AreABlockOfLinesWithTheKernelsNameInTheSource) {
  Finding finding;
  finding.kind = Finding::Kind::race;
  finding.kernel = "_ZN4mine4normIfEEvPKT_PS1_i";
  finding.message = "this read is not ordered after a write";
  finding.position = {89, "a/norm.cu", 15, {}, 0};
  finding.other_position = {91, "a/norm.cu", 16, {}, 0};
  finding.other_thread = {{1, 0, 0}, {16, 0, 0}};
  finding.times = 31;

  EXPECT_EQ(lines_of(finding),
            (std::vector<std::string>{"race in mine::norm<float>: this read is not ordered after a write (31 times)",
                                      "block (0,0,0) thread (0,0,0), at norm.cu:15 (PTX line 89)",
                                      "block (1,0,0) thread (16,0,0), at norm.cu:16 (PTX line 91)"}));
  EXPECT_THAT(describe(finding), HasSubstr("race: mine::norm<float>, block (0,0,0)"));
}

TEST(PtxFindings, AMisalignedAccess) {
  EXPECT_THAT(findings_of(run_body("ld.global.u32 %r1, [%rd0+2];")), HasSubstr("misaligned"));
  EXPECT_THAT(findings_of(run_body("ld.global.v2.u32 {%r1, %r2}, [%rd0+4];")), HasSubstr("an access of 8 bytes"));
}

TEST(PtxFindings, AUseAfterFree) {
  const Program program(kernel_of("ld.global.u32 %r1, [%rd0];"));
  Device device;
  const uint64_t gone = device.allocate(64);
  device.free(gone);
  Launch launch{.kernel = "k", .grid = {}, .block = {1, 1, 1}, .cluster = {}, .dynamic_shared = 0, .parameters = {}};
  launch.parameters.add(gone).add(device.allocate(64));
  const Outcome outcome = run(program, device, launch);

  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings.front().kind, Finding::Kind::use_after_free);
  EXPECT_THROW(device.free(gone), Error);
}

TEST(PtxFindings, AWriteToAConstant) {
  const Ran ran = run_text(kernel_of("mov.u64 %rd2, table; st.global.u32 [%rd2], 1;", ".const .u32 table = 4;"));

  EXPECT_THAT(findings_of(ran), HasSubstr("write to read-only memory"));
}

TEST(PtxFindings, SharedMemoryHasBounds) {
  const std::string box = ".shared .align 4 .b8 box[64];";
  const Ran ran =
      run_text(kernel_of("mov.u32 %r2, box; shl.b32 %r3, %r0, 2; add.u32 %r2, %r2, %r3;\n"
                         "st.shared.u32 [%r2], 1;",
                         box));

  EXPECT_THAT(findings_of(ran), HasSubstr("write of 4 shared bytes at offset 64 of 64"));
}

TEST(PtxFindings, UnwrittenBytesAndRegisters) {
  const std::string box = ".shared .align 4 .b8 box[64];";
  EXPECT_THAT(findings_of(run_text(kernel_of("ld.shared.u32 %r1, [box];", box), checked(1))),
              HasSubstr("read of 4 shared bytes at offset 0 that were never written"));
  EXPECT_THAT(findings_of(run_body("add.u32 %r1, %r2, 1;", checked(32))), HasSubstr("register %r2 is read"));
  EXPECT_EQ(findings_of(run_body("mov.b32 %r1, {%rs1, %rs2};", checked(32))), "") << "a pack may have a free half";
  EXPECT_THAT(
      findings_of(run_body("setp.lt.u32 %p1, %r0, 4;\n@%p1 mov.u32 %r1, 3;\nst.global.u32 [%rd9], %r1;", checked(32))),
      HasSubstr("thread (4,0,0): register %r1"));
}

std::string exchange(const std::string& between) {
  return kernel_of("mov.u32 %r2, box; shl.b32 %r3, %r0, 2; add.u32 %r4, %r2, %r3;\nst.shared.u32 [%r4], %r0;\n" +
                       between +
                       "\nxor.b32 %r5, %r0, 33; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r2;\nld.shared.u32 %r1, [%r5];"
                       "\nst.global.u32 [%rd9], %r1;",
                   ".shared .align 4 .b8 box[256];");
}

TEST(PtxRaces, OfSharedMemoryNameBothLines) {
  const Ran ran = run_text(exchange(""), checked(64));
  bool found = false;
  for (const Finding& finding : ran.outcome.findings) {
    if (finding.kind != Finding::Kind::race) continue;
    found = true;
    const std::pair lines{std::min(finding.position.ptx_line, finding.other_position.ptx_line),
                          std::max(finding.position.ptx_line, finding.other_position.ptx_line)};
    EXPECT_EQ(lines, (std::pair{10U, 13U}));
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(findings_of(run_text(exchange("bar.sync 0;"), checked(64))), "");
}

TEST(PtxRaces, AWarpIsNoBarrier) {
  const std::string half = "mov.u32 %r2, box; shl.b32 %r3, %r0, 2; add.u32 %r4, %r2, %r3;\nst.shared.u32 [%r4], %r0;\n";
  const std::string rest = "\nxor.b32 %r5, %r4, 4;\nld.shared.u32 %r1, [%r5];\nst.global.u32 [%rd9], %r1;";
  const std::string box = ".shared .align 128 .b8 box[128];";
  const auto found = [&](const std::string& between) {
    return findings_of(run_text(kernel_of(half + between + rest, box), checked(32)));
  };
  EXPECT_THAT(found(""), HasSubstr("race"));
  EXPECT_EQ(found("bar.warp.sync -1;"), "");
  EXPECT_THAT(found("shfl.sync.bfly.b32 %r6, %r0, 1, 0x1f, -1;"), HasSubstr("race")) << "a shuffle orders no memory";
}

TEST(PtxRaces, APartialWarpBarrierOrdersItsLanesAlone) {
  const std::string box = ".shared .align 128 .b8 box[128];";
  const auto found = [&](const std::string& distance) {
    return findings_of(run_text(kernel_of(R"(
mov.u32 %r2, box; shl.b32 %r3, %r0, 2; add.u32 %r4, %r2, %r3;
st.shared.u32 [%r4], %r0;
mov.u32 %r7, 0xffff; setp.ge.u32 %p1, %r0, 16; selp.u32 %r7, 0xffff0000, %r7, %p1;
@%p1 bra HIGH;
bar.warp.sync %r7; bra READ;
HIGH: bar.warp.sync %r7;
READ: xor.b32 %r5, %r4, )" + distance + ";\nld.shared.u32 %r1, [%r5];\nst.global.u32 [%rd9], %r1;",
                                          box),
                                checked(32)));
  };
  EXPECT_EQ(found("4"), "");
  EXPECT_THAT(found("64"), HasSubstr("race")) << "lane 0 reads what lane 16 wrote";
}

TEST(PtxRaces, BlocksAreNotOrderedButByAtomics) {
  const std::string same = "mov.u32 %r1, %ctaid.x;\nst.global.u32 [%rd0], %r1;";
  EXPECT_THAT(findings_of(run_body(same, checked(1, 2))), HasSubstr("race"));
  EXPECT_EQ(findings_of(run_body("red.global.add.u32 [%rd0], 1;", checked(1, 4))), "");
  EXPECT_THAT(findings_of(run_body("red.relaxed.cta.global.add.u32 [%rd0], 1;", checked(1, 2))), HasSubstr("race"))
      << "the scope is the block";
}

std::string handed_over(const std::string& release, const std::string& acquire) {
  return kernel_of("mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0;\n@%p1 bra TAKE;\nst.global.u32 [%rd0+8], 5;\n" +
                   release + "\nbra END;\nTAKE: " + acquire + R"(
setp.eq.u32 %p2, %r2, 0;
@%p2 bra TAKE;
ld.global.u32 %r3, [%rd0+8]; st.global.u32 [%rd0+16], %r3;
END: ret;)");
}

TEST(PtxRaces, ReleaseAndAcquireOrderBlocks) {
  const std::string release = "st.release.gpu.global.u32 [%rd0], 1;",
                    acquire = "ld.acquire.gpu.global.u32 %r2, [%rd0];";
  const Ran ran = run_text(handed_over(release, acquire), checked(1, 2));
  EXPECT_EQ(findings_of(ran), "");
  EXPECT_EQ(ran.words.at(4), 5U);
  EXPECT_EQ(findings_of(run_text(handed_over("fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%rd0], 1;",
                                             "ld.relaxed.gpu.global.u32 %r2, [%rd0]; fence.acq_rel.gpu;"),
                                 checked(1, 2))),
            "");
  EXPECT_THAT(findings_of(run_text(handed_over("st.relaxed.gpu.global.u32 [%rd0], 1;", acquire), checked(1, 2))),
              HasSubstr("race"));
  EXPECT_THAT(findings_of(run_text(handed_over(release, "ld.relaxed.gpu.global.u32 %r2, [%rd0];"), checked(1, 2))),
              HasSubstr("race"));
  EXPECT_THAT(
      findings_of(run_text(handed_over("membar.cta; st.relaxed.gpu.global.u32 [%rd0], 1;", acquire), checked(1, 2))),
      HasSubstr("race"));
}

TEST(PtxBarrierFindings, LanesThatNeverCome) {
  EXPECT_THAT(findings_of(run_body("setp.lt.u32 %p1, %r0, 8;\n@%p1 bra END;\nbar.sync 0;\nEND: bar.sync 1;")),
              HasSubstr("barrier divergence"));
  Given two;
  two.block = {64, 1, 1};
  EXPECT_THAT(findings_of(run_body("setp.lt.u32 %p1, %r0, 32;\n@%p1 bra END;\nbar.sync 0;\nEND: ret;", two)),
              HasSubstr("early exit: k, block (0,0,0) thread (32,0,0): 32 of 64 threads"));
  EXPECT_THAT(findings_of(run_body("setp.lt.u32 %p1, %r0, 8;\n@%p1 bra A;\nbar.warp.sync -1; ret;\n"
                                   "A: shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;")),
              HasSubstr("warp divergence"));
}

TEST(PtxBarrierFindings, ADeadlockSaysWhoWaitsWhere) {
  Given given;
  given.block = {64, 1, 1};
  const std::string text =
      findings_of(run_body("setp.lt.u32 %p1, %r0, 32;\n@%p1 bra A;\nbar.sync 1, 96;\nbra END;\n"
                           "A: bar.sync 2, 96;\nEND: ret;",
                           given));
  EXPECT_THAT(text, HasSubstr("deadlock: k, block (0,0,0) thread (32,0,0): warp 1 lanes ffffffff: waits for ever at a "
                              "barrier, at PTX line 11"));
  EXPECT_THAT(text, HasSubstr("thread (0,0,0): warp 0 lanes ffffffff: waits for ever at a barrier, at PTX line 13"));
  EXPECT_THAT(findings_of(run_body("L: ld.volatile.global.u32 %r1, [%rd0];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;")),
              HasSubstr("polls for ever"));
}

TEST(PtxBarrierFindings, NamedBarriersOrderThoseWhoArrive) {
  const std::string text = kernel_of(R"(
setp.lt.u32 %p1, %r0, 32; mov.u32 %r2, box;
@%p1 bra GIVE;
bar.sync 1, 64;
ld.shared.u32 %r1, [%r2]; st.global.u32 [%rd9], %r1; bra END;
GIVE: setp.ne.u32 %p2, %r0, 0;
@%p2 bra ARRIVE;
st.shared.u32 [%r2], 42;
ARRIVE: bar.arrive 1, 64;
END: ret;)",
                                     ".shared .align 4 .b8 box[4];");
  const Ran ran = run_text(text, checked(64));

  EXPECT_EQ(findings_of(ran), "");
  EXPECT_EQ(ran.words.at(40), 42U);
}

TEST(PtxFindings, ATrapEndsTheLaunch) {
  const Ran ran = run_body("setp.eq.u32 %p1, %r0, 3;\n@%p1 trap;");

  ASSERT_EQ(ran.outcome.findings.size(), 1U);
  EXPECT_EQ(ran.outcome.findings.front().thread.thread.x, 3U);
}

}  // namespace
}  // namespace parity::ptx

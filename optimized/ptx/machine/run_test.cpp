// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

using testing::HasSubstr;

TEST(PtxRun, EveryThreadOfEveryBlockRuns) {
  Given setup;
  setup.grid = {2, 1, 1};
  setup.block = {20, 1, 1};
  const Ran ran = run_body(R"(
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.s32 %r3, %r1, %r2, %r0;
mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd0, %rd2; add.s32 %r4, %r3, 100; st.global.u32 [%rd3], %r4;)",
                           setup);

  for (uint32_t i = 0; i < 40; ++i) EXPECT_EQ(ran.words.at(i), 100 + i);
  EXPECT_EQ(ran.words.at(40), 0U);
  EXPECT_TRUE(ran.outcome.findings.empty()) << findings_of(ran);
}

TEST(PtxRun, LanesThatBranchApartMeetAgain) {
  const Ran ran = run_body(R"(
setp.lt.u32 %p1, %r0, 10;
mov.u32 %r1, 0;
@%p1 bra L1;
mov.u32 %r1, 5;
bra L2;
L1: mov.u32 %r1, 7;
L2: activemask.b32 %r2;
add.s32 %r1, %r1, %r2;
st.global.u32 [%rd9], %r1;)");

  EXPECT_EQ(ran.words.at(0), 6U) << "all lanes are active at L2: 7 + 0xFFFFFFFF";
  EXPECT_EQ(ran.words.at(31), 4U);
}

TEST(PtxRun, ALoopCountsForEachLane) {
  const Ran ran = run_body(R"(
mov.u32 %r1, 0; mov.u32 %r2, 0;
L: setp.ge.u32 %p1, %r2, %r0;
@%p1 bra END;
add.s32 %r2, %r2, 1; add.s32 %r1, %r1, %r2; bra L;
END: st.global.u32 [%rd9], %r1;)");

  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(ran.words.at(i), i * (i + 1) / 2);
}

TEST(PtxRun, ASpinOnAnotherLanesFlagEnds) {
  const Ran ran = run_text(kernel_of(R"(
setp.eq.u32 %p1, %r0, 0;
mov.u32 %r5, flag;
@%p1 bra WAIT;
st.volatile.shared.u32 [flag], 1;
bra END;
WAIT: ld.volatile.shared.u32 %r1, [flag];
setp.ne.u32 %p2, %r1, 1;
@%p2 bra WAIT;
st.global.u32 [%rd0], 77;
END: ret;)",
                                     ".shared .align 4 .u32 flag;"));

  EXPECT_EQ(ran.words.at(0), 77U);
}

TEST(PtxRun, ABlockThatWaitsForALaterOneEnds) {
  Given setup;
  setup.grid = {4, 1, 1};
  setup.block = {1, 1, 1};
  const std::string text = kernel_of(R"(
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; add.s32 %r2, %r2, -1;
setp.eq.u32 %p1, %r1, %r2;
@%p1 bra LAST;
WAIT: ld.volatile.global.u32 %r3, [%rd0];
setp.eq.u32 %p2, %r3, 0;
@%p2 bra WAIT;
bra END;
LAST: st.volatile.global.u32 [%rd0], 9;
END: atom.global.add.u32 %r4, [%rd0+4], 1;)");
  for (const uint32_t workers : {1U, 2U}) {
    setup.options.workers = workers;
    const Ran ran = run_text(text, setup);
    EXPECT_EQ(ran.words.at(1), 4U) << findings_of(ran);
  }
}

TEST(PtxRun, ASpinWithAPlainLoadEnds) {
  Given given;
  given.grid = {2, 1, 1};
  given.block = {1, 1, 1};
  const Ran ran = run_body(R"(
mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 1;
@%p1 bra LAST;
WAIT: ld.global.u32 %r3, [%rd0]; st.global.u32 [%rd0+8], %r3;
setp.eq.u32 %p2, %r3, 0;
@%p2 bra WAIT;
bra END;
LAST: st.global.u32 [%rd0], 9;
END: atom.global.add.u32 %r4, [%rd0+4], 1;)",
                           given);

  EXPECT_EQ(ran.words.at(1), 2U) << findings_of(ran);
}

TEST(PtxRun, ResultsDoNotDependOnWorkersOrSchedule) {
  Given setup;
  setup.grid = {7, 1, 1};
  setup.block = {96, 1, 1};
  const std::string text = kernel_of(R"(
mul.lo.s32 %r1, %r0, 3;
mov.u32 %r3, sums;
shl.b32 %r4, %r0, 2; add.s32 %r5, %r3, %r4;
st.shared.u32 [%r5], %r1;
bar.sync 0;
xor.b32 %r6, %r0, 31; shl.b32 %r6, %r6, 2; add.s32 %r6, %r6, %r3;
ld.shared.u32 %r7, [%r6];
red.global.add.u32 [%rd9], %r7;)",
                                     ".shared .align 4 .b8 sums[384];");
  setup.words = 96;
  setup.options.checks = true;
  const Ran alone = run_text(text, setup);
  EXPECT_EQ(findings_of(alone), "");
  EXPECT_EQ(alone.words.at(0), 7U * 93U);
  for (uint64_t seed = 1; seed < 6; ++seed) {
    setup.options.seed = seed;
    setup.options.workers = 3;
    const Ran ran = run_text(text, setup);
    EXPECT_EQ(ran.words, alone.words);
    EXPECT_EQ(findings_of(ran), "");
  }
}

TEST(PtxRun, CountsInstructionsByKind) {
  const Ran ran = run_body("add.s32 %r1, %r0, 1; st.global.u32 [%rd9], %r1;");

  EXPECT_EQ(ran.outcome.counts.at(static_cast<size_t>(Kind::memory)), 3U) << "two parameters and the store";
  EXPECT_EQ(ran.outcome.warp_instructions, 8U);
}

TEST(PtxRun, RefusesWhatCannotBeLaunched) {
  const Program program(kernel_of(""));
  Device device;
  Launch launch;
  launch.kernel = "other";
  try {
    static_cast<void>(run(program, device, launch));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no kernel other in the module; it has k"));
  }
  launch.kernel = "k";
  launch.block = {2048, 1, 1};
  EXPECT_THROW(static_cast<void>(run(program, device, launch)), Error);
  launch.block = {32, 1, 1};
  EXPECT_THROW(static_cast<void>(run(program, device, launch)), Error) << "there are no parameters";
}

TEST(PtxRun, AnUnknownInstructionIsAnErrorWhenItIsReached) {
  const std::string body = "setp.eq.u32 %p1, %r0, 99;\n@%p1 wibble.u32 %r1, %r2;\n";
  const Program program(kernel_of(body));

  ASSERT_EQ(program.unknown().size(), 1U);
  EXPECT_EQ(program.unknown().front().opcode, "wibble.u32");
  EXPECT_EQ(program.unknown().front().line, 10U);
  EXPECT_EQ(refusal_of(body), "") << "no lane executes it";
  EXPECT_THAT(refusal_of("add.foo.u32 %r1, %r0, 1;"), HasSubstr("PTX line 9: add.foo.u32: '.foo' is not known here"));
  EXPECT_THAT(refusal_of("add.rs.f32 %f1, %f0, %f0;"), HasSubstr("'.rs' is not known here"));
  EXPECT_THAT(refusal_of("add.u32 %rd1, %r0, 1;"), HasSubstr("register %rd1 has 64 bits, 32 are expected"));
}

TEST(PtxRun, ABranchToALabelThatIsNotThereIsRefused) {
  EXPECT_THAT(refusal_of("list: .branchtargets HERE, NOWHERE;\nbrx.idx %r0, list;\nHERE: mov.u32 %r1, 1;"),
              HasSubstr("there is no label NOWHERE of the .branchtargets"));
}

}  // namespace
}  // namespace parity::ptx

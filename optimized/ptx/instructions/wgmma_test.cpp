// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// wgmma as kernels execute it: sums worked out by hand, and a planted bug for each finding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

using testing::HasSubstr;

// A is 64 by 16 with the row's number in column 0, B is 16 by 8 with its column's number plus one in row 0, else zeros;
// so D[m][n] = m (n + 1). Both are K-major without a swizzle: rows of 16 bytes, 8 of them together, the second half of K
// 128 bytes on, the next 8 rows 256 bytes on. %r30 is where a thread's row lies, %rd10 and %rd11 are descriptors.
const std::string kFillTiles = R"(
.shared .align 128 .b8 a_tile[2048]; .shared .align 128 .b8 b_tile[256];
mov.u32 %r2, a_tile; mov.u32 %r3, b_tile; mov.u32 %r20, 0;
and.b32 %r4, %r0, 7; shl.b32 %r4, %r4, 4; shr.u32 %r5, %r0, 3; shl.b32 %r5, %r5, 8; add.u32 %r6, %r4, %r5;
add.u32 %r30, %r6, %r2; add.u32 %r31, %r6, %r3;
setp.lt.u32 %p1, %r0, 64; setp.lt.u32 %p2, %r0, 8;
cvt.rn.f32.u32 %f1, %r0; cvt.rn.bf16.f32 %rs1, %f1; add.f32 %f2, %f1, 0f3F800000; cvt.rn.bf16.f32 %rs2, %f2;
mov.u16 %rs3, 0; mov.b32 %r7, {%rs1, %rs3}; mov.b32 %r8, {%rs2, %rs3};
@%p1 st.shared.v4.b32 [%r30], {%r7, %r20, %r20, %r20}; @%p1 st.shared.v4.b32 [%r30+128], {%r20, %r20, %r20, %r20};
@%p2 st.shared.v4.b32 [%r31], {%r8, %r20, %r20, %r20}; @%p2 st.shared.v4.b32 [%r31+128], {%r20, %r20, %r20, %r20};
shr.u32 %r9, %r2, 4; cvt.u64.u32 %rd10, %r9; or.b64 %rd10, %rd10, 0x1000080000;
shr.u32 %r9, %r3, 4; cvt.u64.u32 %rd11, %r9; or.b64 %rd11, %rd11, 0x1000080000;
mov.f32 %f10, 0f41200000; mov.f32 %f11, %f10; mov.f32 %f12, %f10; mov.f32 %f13, %f10;
)";
const std::string kProxy = "fence.proxy.async;\n", kBarrier = "bar.sync 0;\n", kFence = "wgmma.fence.sync.aligned;\n";
const std::string kSums = "{%f10, %f11, %f12, %f13}";
const std::string kCommit = "wgmma.commit_group.sync.aligned;\n", kWaitForAll = "wgmma.wait_group.sync.aligned 0;\n";
const std::string kStore = "st.global.f32 [%rd9], %f13;\n";

std::string product(const std::string& how = "1, 1, 1, 0, 0", const std::string& a = "%rd10") {
  return "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 " + kSums + ", " + a + ", %rd11, " + how + ";\n";
}

Ran ran(const std::string& body) {
  Given given = checked(128);
  given.words = 128;
  return run_body(kFillTiles + body, given);
}

/// D of the second column and the second eight rows of each warp.
float sum_of(uint32_t thread) {
  const uint32_t row = thread / 32 * 16 + thread % 32 / 4 + 8, column = thread % 4 * 2 + 1;
  return static_cast<float>(row * (column + 1));
}

void expect_sums(const Ran& of, float factor, float start) {
  EXPECT_EQ(findings_of(of), "");
  for (uint32_t t = 0; t < 128; ++t)
    EXPECT_EQ(std::bit_cast<float>(of.words[t]), start + factor * sum_of(t)) << "thread " << t;
}

TEST(Wgmma, addsWhatBothDescriptorsName) {
  expect_sums(ran(kProxy + kBarrier + kFence + product() + kCommit + kWaitForAll + kStore), 1.0F, 10.0F);
}

TEST(Wgmma, startsFromZeroWithoutScaleD) {
  expect_sums(ran(kProxy + kBarrier + kFence + product("0, 1, 1, 0, 0") + kCommit + kWaitForAll + kStore), 1.0F, 0.0F);
}

TEST(Wgmma, negatesEitherOperand) {
  expect_sums(ran(kProxy + kBarrier + kFence + product("1, -1, 1, 0, 0") + kCommit + kWaitForAll + kStore), -1.0F,
              10.0F);
  expect_sums(ran(kProxy + kBarrier + kFence + product("1, -1, -1, 0, 0") + kCommit + kWaitForAll + kStore), 1.0F,
              10.0F);
}

TEST(Wgmma, chainsSumsOfTheSameShapeWithoutAFence) {
  expect_sums(
      ran(kProxy + kBarrier + kFence + product() + product() + kCommit + product() + kCommit + kWaitForAll + kStore),
      3.0F, 10.0F);
}

TEST(Wgmma, isWaitedForByAllLanesThatComeApart) {
  const std::string apart =
      "and.b32 %r10, %r0, 31; setp.ne.u32 %p3, %r10, 0; @%p3 bra $LTogether; add.u32 %r11, %r10, 1; $LTogether:\n";
  for (uint64_t seed = 1; seed <= 32; ++seed) {
    Given given = checked(128);
    given.words = 128;
    given.options.seed = seed;
    const std::string body = kProxy + kBarrier + kFence + product() + kCommit + apart + kWaitForAll + kBarrier + kStore;
    expect_sums(run_body(kFillTiles + body, given), 1.0F, 10.0F);
  }
}

// A from registers: every element is 1, so each column adds up its B, which has one number.
/// Lanes that come apart meet again at the wait: none of them goes on before the other warps have asked.
TEST(Wgmma, takesAFromRegisters) {
  const Ran of =
      ran("mov.b32 %r10, 0x3F803F80; mov.b32 %r11, %r10; mov.b32 %r12, %r10; mov.b32 %r13, %r10;\n" + kProxy +
          kBarrier + kFence + product("0, 1, 1, 0", "{%r10, %r11, %r12, %r13}") + kCommit + kWaitForAll + kStore);

  EXPECT_EQ(findings_of(of), "");
  for (uint32_t t = 0; t < 128; ++t) EXPECT_EQ(std::bit_cast<float>(of.words[t]), static_cast<float>(t % 4 * 2 + 2));
}

// With imm-trans-b the same bytes are N-major: element (k, n) lies where (n, k) lay, so row 0 of B is column 0.
TEST(Wgmma, transposesBThatLiesNMajor) {
  const Ran of = ran("mov.b32 %r10, 0x3F803F80; mov.b32 %r11, %r10; mov.b32 %r12, %r10; mov.b32 %r13, %r10;\n" +
                     kProxy + kBarrier + kFence + product("0, 1, 1, 1", "{%r10, %r11, %r12, %r13}") + kCommit +
                     kWaitForAll + "st.global.f32 [%rd9], %f12;\n");

  EXPECT_EQ(findings_of(of), "");
  EXPECT_EQ(std::bit_cast<float>(of.words[0]), 36.0F);  // column 0: 1 + ... + 8
  EXPECT_EQ(std::bit_cast<float>(of.words[1]), 0.0F);
}

TEST(Wgmma, multipliesFp8AndTf32) {
  // Bytes 0x38 are 1 in e4m3 and 1/2 in e5m2; every byte of A and B: 32 products of 1/2.
  const std::string ones =
      "mov.b32 %r10, 0x38383838; @%p1 st.shared.v4.b32 [%r30], {%r10, %r10, %r10, %r10};\n"
      "@%p1 st.shared.v4.b32 [%r30+128], {%r10, %r10, %r10, %r10}; @%p2 st.shared.v4.b32 [%r31], {%r10, %r10, %r10, "
      "%r10}; @%p2 st.shared.v4.b32 [%r31+128], {%r10, %r10, %r10, %r10};\n";
  const Ran fp8 = ran(ones + kProxy + kBarrier + kFence + "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 " +
                      kSums + ", %rd10, %rd11, 0, 1, 1;\n" + kCommit + kWaitForAll + kStore);
  const Ran tf32 = ran(kProxy + kBarrier + kFence + "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 " + kSums +
                       ", %rd10, %rd11, 0, 1, 1;\n" + kCommit + kWaitForAll + kStore);

  EXPECT_EQ(findings_of(fp8), "");
  EXPECT_EQ(std::bit_cast<float>(fp8.words[77]), 16.0F);
  EXPECT_EQ(findings_of(tf32), "");  // low halves of words are below tf32's bits, so that all are subnormal or zero
  EXPECT_EQ(std::bit_cast<float>(tf32.words[77]), 0.0F);
}

TEST(Wgmma, isCarriedOutAsLateAsItsWaitAllows) {
  Given given;
  given.block = {128, 1, 1};
  given.words = 128;
  const std::string overwrite = "@%p2 st.shared.b32 [%r31], %r20; bar.sync 0;\n";

  const Ran of = run_body(
      kFillTiles + kBarrier + kFence + product() + kCommit + overwrite + "wgmma.wait_group.sync.aligned 0;\n" + kStore,
      given);

  EXPECT_EQ(std::bit_cast<float>(of.words[77]), 10.0F);
}

TEST(Wgmma, findsAnAccumulatorThatIsReadBeforeItsWait) {
  const Ran of = ran(kProxy + kBarrier + kFence + product() + kCommit + kStore + kWaitForAll);
  EXPECT_THAT(findings_of(of), HasSubstr("register %f13 is read while a wgmma that adds to it is not waited for"));
}

TEST(Wgmma, findsAnAccumulatorThatIsWrittenBeforeItsWait) {
  const Ran of = ran(kProxy + kBarrier + kFence + product() + kCommit + "mov.f32 %f10, 0f00000000;\n" + kWaitForAll);
  EXPECT_THAT(findings_of(of), HasSubstr("register %f10 is written while a wgmma"));
}

TEST(Wgmma, findsAnOperandInRegistersThatIsWrittenBeforeItsWait) {
  const Ran of =
      ran("mov.b32 %r10, 0; mov.b32 %r11, 0; mov.b32 %r12, 0; mov.b32 %r13, 0;\n" + kProxy + kBarrier + kFence +
          product("0, 1, 1, 0", "{%r10, %r11, %r12, %r13}") + kCommit + "mov.b32 %r12, 1;\n" + kWaitForAll);
  EXPECT_THAT(findings_of(of), HasSubstr("register %r12 is written while a wgmma that reads it"));
}

TEST(Wgmma, findsAWaitForTheWrongGroup) {
  const Ran of = ran(kProxy + kBarrier + kFence + product() + kCommit + "wgmma.wait_group.sync.aligned 1;\n" + kStore);
  EXPECT_THAT(findings_of(of), HasSubstr("in flight"));
}

TEST(Wgmma, findsASharedOperandThatIsOverwrittenInFlight) {
  const Ran of =
      ran(kProxy + kBarrier + kFence + product() + kCommit + "@%p2 st.shared.b32 [%r31], %r20;\n" + kWaitForAll);
  EXPECT_THAT(findings_of(of), HasSubstr("while an asynchronous read of it is not waited for"));
}

TEST(Wgmma, findsAMissingFenceOfRegisters) {
  const Ran never = ran(kProxy + kBarrier + product() + kCommit + kWaitForAll);
  const Ran later = ran(kProxy + kBarrier + kFence + product() + kCommit + kWaitForAll + "add.f32 %f10, %f10, %f10;\n" +
                        product() + kCommit + kWaitForAll);
  EXPECT_THAT(findings_of(never), HasSubstr("missing fence"));
  EXPECT_THAT(findings_of(later), HasSubstr("no wgmma.fence since register %f10"));
}

TEST(Wgmma, findsAMissingProxyFence) {
  const Ran of = ran(kBarrier + kFence + product() + kCommit + kWaitForAll);
  EXPECT_THAT(findings_of(of), HasSubstr("fence.proxy.async comes between"));
}

TEST(Wgmma, findsAMissingBarrierBeforeItsOperandsAreRead) {
  const Ran of = ran(kProxy + kFence + product() + kCommit + kWaitForAll);
  EXPECT_THAT(findings_of(of), HasSubstr("race"));
}

TEST(Wgmma, findsAnAccumulatorThatWasNeverWritten) {
  const Ran of =
      ran(kProxy + kBarrier + kFence +
          "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f14, %f15, %f16, %f17}, %rd10, %rd11, 1, 1, "
          "1, 0, 0;\n" +
          kCommit + kWaitForAll);
  EXPECT_THAT(findings_of(of), HasSubstr("accumulator %f14 is added to and was never written"));
}

TEST(Wgmma, findsADescriptorBeyondSharedMemory) {
  const Ran of = ran("add.s64 %rd10, %rd10, 0x100;\n" + kProxy + kBarrier + kFence + product() + kCommit + kWaitForAll);
  EXPECT_THAT(findings_of(of), HasSubstr("out of bounds"));
}

TEST(Wgmma, findsABlockThatIsNoWarpgroup) {
  const Ran of = run_body(kFillTiles + kProxy + kBarrier + kFence + product() + kCommit + kWaitForAll, checked(64));
  EXPECT_THAT(findings_of(of), HasSubstr("a warpgroup is four warps"));
}

TEST(Wgmma, refusesWhatItDoesNotHave) {
  EXPECT_THAT(refusal_of("wgmma.mma_async.sync.aligned.m64n12k16.f32.bf16.bf16 {%f1}, %rd1, %rd1, 1, 1, 1, 0, 0;"),
              HasSubstr("there is no wgmma.m64n12"));
  EXPECT_THAT(refusal_of("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1}, %rd1, %rd1, 1, 1, 1, 0, 0;"),
              HasSubstr("4 registers of D are expected"));
  EXPECT_THAT(
      refusal_of("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd1, %rd1, 1, 2, 1, "
                 "0, 0;"),
      HasSubstr("operand 5 is a constant"));
}

}  // namespace
}  // namespace parity::ptx

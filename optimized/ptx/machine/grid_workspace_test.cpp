// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

// What cooperative groups compile grid.sync() to, with a store before and a load of the neighbour's after it.
constexpr const char* kSynced = R"(
mov.u32 %r10, %envreg1; mov.u32 %r11, %envreg2; mov.b64 %rd5, {%r11, %r10};
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x;
mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd0, %rd2; add.s32 %r3, %r1, 100;
st.global.u32 [%rd3], %r3;
setp.eq.u32 %p1, %r1, 0; sub.s32 %r4, -2147483647, %r2; selp.b32 %r4, %r4, 1, %p1;
atom.add.release.gpu.global.u32 %r5, [%rd5+4], %r4;
WAIT: ld.acquire.gpu.global.u32 %r6, [%rd5+4];
xor.b32 %r7, %r6, %r5; setp.ge.s32 %p2, %r7, 0;
@%p2 bra WAIT;
add.s32 %r8, %r1, 1; rem.u32 %r8, %r8, %r2; mul.wide.u32 %rd2, %r8, 4; add.s64 %rd4, %rd0, %rd2;
ld.global.u32 %r9, [%rd4]; st.global.u32 [%rd3+64], %r9;)";

Given four_blocks() {
  Given given;
  given.grid = {4, 1, 1};
  given.block = {1, 1, 1};
  given.options.checks = true;
  return given;
}

TEST(PtxGridWorkspace, BlocksMeetAtABarrierOfTheGrid) {
  const Ran ran = run_body(kSynced, four_blocks());

  EXPECT_TRUE(ran.outcome.findings.empty()) << findings_of(ran);
  for (uint32_t block = 0; block < 4; ++block) EXPECT_EQ(ran.words.at(16 + block), 100 + (block + 1) % 4);
}

TEST(PtxGridWorkspace, ABarrierThatABlockNeverReachesIsADeadlock) {
  const Ran ran =
      run_body("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p3, %r1, 3; @%p3 ret;" + std::string(kSynced), four_blocks());

  ASSERT_FALSE(ran.outcome.findings.empty());
  EXPECT_EQ(ran.outcome.findings.front().kind, Finding::Kind::deadlock) << findings_of(ran);
}

}  // namespace
}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

using testing::HasSubstr;

TEST(PtxWarp, ShufflesReadOtherLanesWithinSegments) {
  const auto lanes_of = [](const std::string& body) { return run_body(body + "\nst.global.u32 [%rd9], %r1;").words; };
  EXPECT_EQ(lanes_of("shfl.sync.bfly.b32 %r1, %r0, 1, 0x1f, -1;").at(6), 7U);
  EXPECT_EQ(lanes_of("shfl.sync.up.b32 %r1, %r0, 3, 0, -1;").at(2), 2U);
  EXPECT_EQ(lanes_of("shfl.sync.up.b32 %r1, %r0, 3, 0, -1;").at(5), 2U);
  EXPECT_EQ(lanes_of("shfl.sync.down.b32 %r1, %r0, 4, 0x181f, -1;").at(3), 7U);
  EXPECT_EQ(lanes_of("shfl.sync.down.b32 %r1, %r0, 4, 0x181f, -1;").at(5), 5U) << "beyond its segment of eight";
  EXPECT_EQ(lanes_of("shfl.sync.idx.b32 %r2|%p1, %r0, 9, 0x1f, -1; selp.u32 %r1, %r2, 0, %p1;").at(30), 9U);
}

TEST(PtxWarp, LanesOfDifferentPlacesMeet) {
  const Ran ran = run_body(R"(
setp.lt.u32 %p1, %r0, 16;
@%p1 bra L1;
add.u32 %r2, %r0, 100; shfl.sync.bfly.b32 %r1, %r2, 16, 0x1f, -1; bra L2;
L1: shfl.sync.bfly.b32 %r1, %r0, 16, 0x1f, -1;
L2: st.global.u32 [%rd9], %r1;)");

  EXPECT_EQ(ran.words.at(0), 116U) << findings_of(ran);
  EXPECT_EQ(ran.words.at(16), 0U);
}

TEST(PtxWarp, VotesMatchesAndReductions) {
  const auto word = [](const std::string& body) { return run_body(body + "\nst.global.u32 [%rd9], %r1;").words.at(3); };
  const std::string odd = "and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 1; ";
  EXPECT_EQ(word(odd + "vote.sync.ballot.b32 %r1, %p1, -1;"), 0xAAAAAAAAU);
  EXPECT_EQ(word(odd + "vote.sync.ballot.b32 %r1, !%p1, -1;"), 0x55555555U);
  EXPECT_EQ(word(odd + "vote.sync.any.pred %p2, %p1, -1; selp.u32 %r1, 1, 0, %p2;"), 1U);
  EXPECT_EQ(word(odd + "vote.sync.all.pred %p2, %p1, -1; selp.u32 %r1, 1, 0, %p2;"), 0U);
  EXPECT_EQ(word(odd + "vote.sync.uni.pred %p2, %p1, -1; selp.u32 %r1, 1, 0, %p2;"), 0U);
  EXPECT_EQ(word("shr.u32 %r2, %r0, 2; match.any.sync.b32 %r1, %r2, -1;"), 0xFU);
  EXPECT_EQ(word("match.all.sync.b32 %r1|%p1, %r0, -1;"), 0U);
  EXPECT_EQ(word("redux.sync.add.s32 %r1, %r0, -1;"), 496U);
  EXPECT_EQ(word("sub.s32 %r2, %r0, 5; redux.sync.min.s32 %r1, %r2, -1;"), static_cast<uint32_t>(-5));
  EXPECT_EQ(word("sub.s32 %r2, %r0, 5; redux.sync.max.u32 %r1, %r2, -1;"), ~0U);
  EXPECT_EQ(word("elect.sync %r1|%p1, -1; selp.u32 %r1, 7, %r1, %p1;"), 0U);
}

TEST(PtxCalls, RecurseWithFramesAndLocalMemoryOfTheirOwn) {
  const std::string text = kernel_of(R"(
and.b32 %r2, %r0, 7;
{ .param .b32 a; .param .b32 r;
st.param.b32 [a], %r2; call.uni (r), fib, (a); ld.param.b32 %r1, [r]; }
st.global.u32 [%rd9], %r1;)",
                                     R"(
.func (.param .b32 result) fib (.param .b32 x) {
.local .align 4 .b8 kept[4];
.reg .pred %p<3>; .reg .b32 %r<9>;
ld.param.b32 %r1, [x]; setp.lt.u32 %p1, %r1, 2;
@%p1 bra DONE;
{ .param .b32 a; .param .b32 r; add.s32 %r2, %r1, -1; st.param.b32 [a], %r2; call (r), fib, (a); ld.param.b32 %r3, [r]; }
st.local.u32 [kept], %r3;
{ .param .b32 a; .param .b32 r; add.s32 %r2, %r1, -2; st.param.b32 [a], %r2; call (r), fib, (a); ld.param.b32 %r4, [r]; }
ld.local.u32 %r5, [kept];
add.s32 %r1, %r4, %r5;
DONE: st.param.b32 [result], %r1; ret; })");
  Given given = checked(32);
  const Ran ran = run_text(text, given);

  EXPECT_EQ(findings_of(ran), "");
  for (const auto& [lane, value] : {std::pair<size_t, uint32_t>{0, 0}, {1, 1}, {7, 13}, {15, 13}, {30, 8}})
    EXPECT_EQ(ran.words.at(lane), value);
}

TEST(PtxCalls, OfAnAddressGoWhereItSays) {
  const std::string functions = R"(
.func (.param .b32 result) one () { st.param.b32 [result], 1; ret; }
.func (.param .b32 result) two () { st.param.b32 [result], 2; ret; })";
  const Ran ran = run_text(kernel_of(R"(
mov.u64 %rd2, one; mov.u64 %rd3, two; setp.lt.u32 %p1, %r0, 9; selp.b64 %rd4, %rd2, %rd3, %p1;
{ .param .b32 r; proto: .callprototype (.param .b32 _) _ (); call (r), %rd4, (), proto; ld.param.b32 %r1, [r]; }
st.global.u32 [%rd9], %r1;)",
                                     functions));

  EXPECT_EQ(ran.words.at(8), 1U) << findings_of(ran);
  EXPECT_EQ(ran.words.at(9), 2U);
}

TEST(PtxCalls, PrintfIsCollected) {
  std::string text = kernel_of(R"(
setp.ne.u32 %p1, %r0, 2;
@%p1 bra END;
mov.u64 %rd2, list; st.local.u32 [list], 7; st.local.f64 [list+8], 0d3ff8000000000000; cvta.local.u64 %rd3, %rd2;
mov.u64 %rd4, format;
{ .param .b64 a; .param .b64 b; .param .b32 r;
st.param.b64 [a], %rd4; st.param.b64 [b], %rd3; call.uni (r), vprintf, (a, b); }
END: ret;)",
                               ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
                               ".global .align 1 .b8 format[10] = {37, 51, 100, 32, 37, 46, 50, 102, 37, 37};");
  text.insert(text.find(".reg"), ".local .align 8 .b8 list[16];\n");
  const Ran ran = run_text(text);

  EXPECT_THAT(ran.outcome.printed, testing::ElementsAre("  7 1.50%"));
}

TEST(PtxBarriers, ReduceAPredicateOfTheBlock) {
  Given given;
  given.block = {64, 1, 1};
  EXPECT_EQ(run_body("setp.lt.u32 %p1, %r0, 40; bar.red.popc.u32 %r1, 0, %p1; st.global.u32 [%rd9], %r1;", given)
                .words.at(63),
            40U);
  EXPECT_EQ(run_body("setp.lt.u32 %p1, %r0, 40; bar.red.and.pred %p2, 0, %p1; selp.u32 %r1, 1, 0, %p2;"
                     "st.global.u32 [%rd9], %r1;",
                     given)
                .words.at(0),
            0U);
}

}  // namespace
}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

using testing::HasSubstr;

TEST(PtxIntegers, SumsWrapAndSaturate) {
  EXPECT_EQ(word_of("mov.u32 %r2, 0x7fffffff; add.s32 %r1, %r2, 1;"), 0x80000000U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0x7fffffff; add.sat.s32 %r1, %r2, 1;"), 0x7FFFFFFFU);
  EXPECT_EQ(word_of("mov.u32 %r2, 0x80000000; sub.sat.s32 %r1, %r2, 1;"), 0x80000000U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0x80000000; abs.s32 %r1, %r2;"), 0x80000000U);
  EXPECT_EQ(word_of("mov.u32 %r2, -5; mov.u32 %r3, 3; mov.u32 %r4, 10; sad.s32 %r1, %r2, %r3, %r4;"), 18U);
}

TEST(PtxIntegers, DivisionHasTheEdgesOfAGpu) {
  EXPECT_EQ(word_of("mov.u32 %r2, 7; mov.u32 %r3, 0; div.u32 %r1, %r2, %r3;"), ~0U);
  EXPECT_EQ(word_of("mov.u32 %r2, 7; mov.u32 %r3, 0; rem.u32 %r1, %r2, %r3;"), ~0U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0x80000000; div.s32 %r1, %r2, -1;"), 0x80000000U);
  EXPECT_EQ(word_of("mov.u32 %r2, -7; rem.s32 %r1, %r2, 3;"), static_cast<uint32_t>(-1));
}

TEST(PtxIntegers, ProductsHaveLowHighAndWideParts) {
  EXPECT_EQ(word_of("mov.u32 %r2, -1; mul.hi.u32 %r1, %r2, %r2;"), 0xFFFFFFFEU);
  EXPECT_EQ(word_of("mov.u32 %r2, -1; mul.hi.s32 %r1, %r2, %r2;"), 0U);
  EXPECT_EQ(word_of("mov.u32 %r2, -1; mad.lo.s32 %r1, %r2, 5, 7;"), 2U);
  EXPECT_EQ(long_of("mov.u32 %r2, -2; mul.wide.s32 %rd2, %r2, 3;"), static_cast<uint64_t>(-6));
  EXPECT_EQ(long_of("mov.u64 %rd3, -1; mul.hi.s64 %rd2, %rd3, %rd3;"), 0U);
  EXPECT_EQ(long_of("mov.u64 %rd3, -1; mul.hi.u64 %rd2, %rd3, %rd3;"), ~uint64_t{1});
  EXPECT_EQ(word_of("mov.u32 %r2, 0xff000003; mul24.lo.u32 %r1, %r2, %r2;"), 9U);
}

TEST(PtxIntegers, CarriesRunThroughSumsOfManyWords) {
  EXPECT_EQ(word_of("mov.u32 %r2, -1; add.cc.u32 %r3, %r2, 1; addc.u32 %r1, %r2, 5;"), 5U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0; sub.cc.u32 %r3, %r2, 1; subc.u32 %r1, %r2, 0;"), ~0U);
  EXPECT_EQ(word_of("mov.u32 %r2, -1; mad.lo.cc.u32 %r3, %r2, 1, %r2; madc.hi.u32 %r1, %r2, %r2, 0;"), 0xFFFFFFFFU);
}

TEST(PtxBits, FieldsReachBeyondTheWord) {
  EXPECT_EQ(word_of("mov.u32 %r2, 0xF0; bfe.s32 %r1, %r2, 4, 4;"), ~0U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0xF0; bfe.u32 %r1, %r2, 4, 4;"), 15U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0x80000000; bfe.s32 %r1, %r2, 30, 8;"), static_cast<uint32_t>(-2));
  EXPECT_EQ(word_of("mov.u32 %r2, 0x80000000; bfe.s32 %r1, %r2, 40, 8;"), ~0U);
  EXPECT_EQ(word_of("mov.u32 %r2, -1; bfe.u32 %r1, %r2, 0, 0;"), 0U);
  EXPECT_EQ(word_of("mov.u32 %r2, 5; mov.u32 %r3, -1; bfi.b32 %r1, %r2, %r3, 4, 4;"), 0xFFFFFF5FU);
  EXPECT_EQ(word_of("mov.u32 %r2, 5; mov.u32 %r3, 9; bfi.b32 %r1, %r2, %r3, 32, 4;"), 9U);
}

TEST(PtxBits, AreCountedFoundAndPermuted) {
  EXPECT_EQ(word_of("mov.u32 %r2, 0; clz.b32 %r1, %r2;"), 32U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0x10100; popc.b32 %r1, %r2;"), 2U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0; bfind.u32 %r1, %r2;"), ~0U);
  EXPECT_EQ(word_of("mov.u32 %r2, -2; bfind.s32 %r1, %r2;"), 0U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0x100; bfind.shiftamt.u32 %r1, %r2;"), 23U);
  EXPECT_EQ(word_of("mov.u32 %r2, 1; brev.b32 %r1, %r2;"), 0x80000000U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0x33221100; mov.u32 %r3, 0x77665544; prmt.b32 %r1, %r2, %r3, 0x7531;"), 0x77553311U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0x80; prmt.b32 %r1, %r2, 0, 0x4448;"), 0xFFU) << "the sign of byte 0, four times";
  EXPECT_EQ(word_of("mov.u32 %r2, 1; mov.u32 %r3, 2; shf.l.wrap.b32 %r1, %r2, %r3, 33;"), 4U);
  EXPECT_EQ(word_of("mov.u32 %r2, 1; mov.u32 %r3, 2; shf.r.clamp.b32 %r1, %r2, %r3, 40;"), 2U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0xff; fns.b32 %r1, %r2, 2, 3;"), 4U);
}

TEST(PtxLogic, ShiftsBeyondTheWordGiveZerosOrSigns) {
  EXPECT_EQ(word_of("mov.u32 %r2, -1; shl.b32 %r1, %r2, 32;"), 0U);
  EXPECT_EQ(word_of("mov.u32 %r2, -8; shr.s32 %r1, %r2, 99;"), ~0U);
  EXPECT_EQ(word_of("mov.u32 %r2, -8; shr.u32 %r1, %r2, 32;"), 0U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0; cnot.b32 %r1, %r2;"), 1U);
}

TEST(PtxLogic, ATableOfEightSaysEveryBit) {
  EXPECT_EQ(
      word_of("mov.u32 %r2, 0xF0; mov.u32 %r3, 0xCC; mov.u32 %r4, 0xAA; lop3.b32 %r1, %r2, %r3, %r4, 0x96;") & 0xFFU,
      0xF0U ^ 0xCCU ^ 0xAAU);
  EXPECT_EQ(
      word_of("mov.u32 %r2, 0xF0; mov.u32 %r3, 0xCC; mov.u32 %r4, 0xAA; lop3.b32 %r1, %r2, %r3, %r4, 0x1B;") & 0xFFU,
      0x1BU)
      << "these three operands spell the table";
}

TEST(PtxDots, AddProductsOfBytes) {
  EXPECT_EQ(word_of("mov.u32 %r2, 0xff010203; mov.u32 %r3, 0x02010101; dp4a.s32.s32 %r1, %r2, %r3, 10;"), 14U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0xff010203; mov.u32 %r3, 0x02010101; dp4a.u32.u32 %r1, %r2, %r3, 10;"), 526U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0xffff0002; mov.u32 %r3, 0x0403; dp2a.lo.s32.u32 %r1, %r2, %r3, 0;"), 2U);
}

TEST(PtxCompare, ANanIsUnordered) {
  const std::string nan = "mov.f32 %f1, 0f7fc00000; mov.f32 %f2, 0f3f800000; ";
  EXPECT_EQ(word_of(nan + "setp.lt.f32 %p1, %f1, %f2; selp.u32 %r1, 1, 0, %p1;"), 0U);
  EXPECT_EQ(word_of(nan + "setp.ltu.f32 %p1, %f1, %f2; selp.u32 %r1, 1, 0, %p1;"), 1U);
  EXPECT_EQ(word_of(nan + "setp.ne.f32 %p1, %f1, %f2; selp.u32 %r1, 1, 0, %p1;"), 0U);
  EXPECT_EQ(word_of(nan + "setp.neu.f32 %p1, %f1, %f2; selp.u32 %r1, 1, 0, %p1;"), 1U);
  EXPECT_EQ(word_of(nan + "setp.nan.f32 %p1, %f1, %f2; selp.u32 %r1, 1, 0, %p1;"), 1U);
}

TEST(PtxCompare, TwoPredicatesAreJoinedWithAThird) {
  EXPECT_EQ(word_of("setp.ge.u32 %p3, %r0, 0; setp.lt.and.u32 %p1|%p2, %r0, 5, !%p3; selp.u32 %r1, 1, 0, %p1;"), 0U);
  EXPECT_EQ(word_of("setp.ge.u32 %p3, %r0, 0; setp.gt.or.u32 %p1|%p2, %r0, 5, %p3; selp.u32 %r1, 1, 0, %p2;"), 1U);
  EXPECT_EQ(word_of("mov.u32 %r2, -1; setp.lo.u32 %p1, %r2, 5; selp.u32 %r1, 1, 0, %p1;"), 0U);
  EXPECT_EQ(word_of("mov.u32 %r2, -1; setp.lt.s32 %p1, %r2, 5; selp.u32 %r1, 1, 0, %p1;"), 1U);
}

TEST(PtxMove, PacksTheFirstRegisterLowest) {
  EXPECT_EQ(word_of("mov.u16 %rs1, 1; mov.u16 %rs2, 2; mov.b32 %r1, {%rs1, %rs2};"), 0x20001U);
  EXPECT_EQ(word_of("mov.u64 %rd2, 0x100000002; mov.b64 {%r2, %r1}, %rd2;"), 1U);
  EXPECT_EQ(word_of("mov.u64 %rd2, 0x100000002; mov.b64 {%r1, _}, %rd2;"), 2U);
}

}  // namespace
}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

using testing::HasSubstr;

TEST(PtxSet, GivesOneOfARealTypeAndOnesOfAnInteger) {
  const std::string numbers = "mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0f40000000; ";
  EXPECT_EQ(word_of(numbers + "set.lt.u32.f32 %r1, %f2, %f3;"), ~0U);
  EXPECT_EQ(word_of(numbers + "set.gt.u32.f32 %r1, %f2, %f3;"), 0U);
  EXPECT_EQ(word_of(numbers + "set.lt.f32.f32 %f1, %f2, %f3; mov.b32 %r1, %f1;"), 0x3F800000U);
  EXPECT_EQ(word_of("mov.u32 %r2, 7; set.hs.s32.u32 %r1, %r2, 7;"), ~0U);
  EXPECT_EQ(word_of(numbers + "setp.lt.f32 %p1, %f2, %f3; set.gt.or.u32.f32 %r1, %f2, %f3, %p1;"), ~0U);
}

TEST(PtxSet, OfHalvesMayBeShortOrAPair) {
  const auto half_of = [](const std::string& body) {
    return word_of("mov.b16 %rs2, 0x3C00; mov.b16 %rs3, 0x7C01; " + body + "cvt.u32.u16 %r1, %rs1;");
  };
  EXPECT_EQ(half_of("set.geu.f16.f16 %rs1, %rs2, %rs3;"), 0x3C00U) << "a NaN";
  EXPECT_EQ(half_of("set.lt.u16.f16 %rs1, %rs2, %rs3;"), 0U);
  EXPECT_EQ(half_of("set.lt.u16.bf16 %rs1, %rs2, %rs3;"), 0xFFFFU) << "a number of bf16";
  EXPECT_EQ(half_of("set.lt.bf16.bf16 %rs1, %rs2, %rs3;"), 0x3F80U);
  const std::string pairs = "mov.b32 %r2, 0x3C000001; mov.b32 %r3, 0x40000000; ";
  EXPECT_EQ(word_of(pairs + "set.lt.f16x2.f16x2 %r1, %r2, %r3;"), 0x3C000000U);
  EXPECT_EQ(word_of(pairs + "set.eq.ftz.u32.f16x2 %r1, %r2, %r3;"), 0x0000FFFFU);
  EXPECT_EQ(word_of(pairs + "set.gt.bf16x2.bf16x2 %r1, %r2, %r3;"), 0x00003F80U);
}

TEST(PtxSet, RefusesResultsThatThereAreNot) {
  EXPECT_THAT(refusal_of("set.lt.u16.f32 %rs1, %f2, %f3;"), HasSubstr("of halves also .u16 or .s16"));
  EXPECT_THAT(refusal_of("set.lt.f32.f16x2 %f1, %r2, %r3;"), HasSubstr("the type of the operands is expected"));
  EXPECT_THAT(refusal_of("set.lt.ftz.u32.bf16x2 %r1, %r2, %r3;"), HasSubstr("'.ftz' is only for .f16 and .f32"));
}

TEST(PtxSelect, BySignMayFlush) {
  const std::string of = "mov.b32 %f2, 0x80000001; mov.u32 %r2, 5; mov.u32 %r3, 6; ";
  EXPECT_EQ(word_of(of + "slct.b32.f32 %r1, %r2, %r3, %f2;"), 6U);
  EXPECT_EQ(word_of(of + "slct.ftz.b32.f32 %r1, %r2, %r3, %f2;"), 5U);
}

}  // namespace
}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

using testing::HasSubstr;

/// %r1 after the instruction; %r2 and %r3 are the operands, %r4 is 0x11223344.
uint32_t of(const std::string& instruction, uint32_t a, uint32_t b) {
  return word_of(fmt::format("mov.b32 %r2, {}; mov.b32 %r3, {}; mov.b32 %r4, 0x11223344; {}", a, b, instruction));
}

TEST(PtxVideo, OfWordsHasMoreBitsThanAWordUntilTheEnd) {
  EXPECT_EQ(of("vadd.s32.u32.s32 %r1, %r2, %r3;", 5, ~0U), 4U);
  EXPECT_EQ(of("vadd.s32.u32.u32.sat %r1, %r2, %r3;", 0x7FFFFFFF, 1), 0x7FFFFFFFU);
  EXPECT_EQ(of("vsub.u32.u32.u32.sat %r1, %r2, %r3;", 1, 2), 0U);
  EXPECT_EQ(of("vadd.u32.u32.u32.sat %r1, %r2, %r3;", ~0U, 3), 2U) << "a GPU does not clamp it from above";
  EXPECT_EQ(of("vabsdiff.u32.s32.u32 %r1, %r2, %r3;", ~0U, 1), 2U);
  EXPECT_EQ(of("vmin.s32.s32.u32 %r1, %r2, %r3;", ~0U, ~0U), ~0U) << "-1 is less than 2^32 - 1";
  EXPECT_EQ(of("vmax.u32.s32.u32 %r1, %r2, %r3;", ~0U, 7), 7U);
}

TEST(PtxVideo, OfPartsWrapsInEachAndAddsThemToAnother) {
  EXPECT_EQ(of("vadd2.u32.u32.u32 %r1, %r2, %r3, %r4;", 0xFFFF0001, 0x00020003), 0x00010004U);
  EXPECT_EQ(of("vabsdiff4.u32.u32.u32 %r1, %r2, %r3, %r4;", 0x01FF0305, 0x02000501), 0x01FF0204U);
  EXPECT_EQ(of("vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;", 0x01FF0305, 0x02000501), 0x11223344U + 0x106);
  EXPECT_EQ(of("vavrg4.s32.s32.s32 %r1, %r2, %r3, %r4;", 0x02FF01FE, 0x0100FFFF), 0x02FF00FEU)
      << "halves go away from 0";
  EXPECT_EQ(of("vmin2.s32.s32.s32 %r1, %r2, %r3, %r4;", 0x8000FFFF, 0x00010001), 0x8000FFFFU);
  EXPECT_THAT(refusal_of("vadd2.u32.u32.u32.sat %r1, %r2, %r3, %r4;"), HasSubstr("'.sat' is not known here"));
  EXPECT_THAT(refusal_of("vavrg.u32.u32.u32 %r1, %r2, %r3;"), HasSubstr("not known"));
}

TEST(PtxPairs, OfHalfWordsAreTwoIntegers) {
  EXPECT_EQ(of("add.s16x2 %r1, %r2, %r3;", 0x7FFFFFFF, 0x00010001), 0x80000000U);
  EXPECT_EQ(of("min.s16x2 %r1, %r2, %r3;", 0x8000FFFF, 0x00010001), 0x8000FFFFU);
  EXPECT_EQ(of("min.u16x2 %r1, %r2, %r3;", 0x8000FFFF, 0x00010001), 0x00010001U);
  EXPECT_EQ(of("max.relu.s16x2 %r1, %r2, %r3;", 0x8000FFFF, 0x8001FFFE), 0U);
  EXPECT_THAT(refusal_of("max.relu.u16x2 %r1, %r2, %r3;"), HasSubstr("'.relu' is for .s32 and .s16x2"));
}

TEST(PtxPairs, OfClampedWordsMoveTheOthersUp) {
  const auto minus = static_cast<uint32_t>(-300);
  EXPECT_EQ(of("cvt.pack.sat.s16.s32 %r1, %r2, %r3;", 70000, minus), 0x7FFFFED4U);
  EXPECT_EQ(of("cvt.pack.sat.u16.s32 %r1, %r2, %r3;", 70000, minus), 0xFFFF0000U);
  EXPECT_EQ(of("cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;", 300, 5), 0x3344FF05U);
  EXPECT_EQ(of("cvt.pack.sat.s8.s32.b32 %r1, %r2, %r3, %r4;", 5, minus), 0x33440580U);
  EXPECT_EQ(of("cvt.pack.sat.s4.s32.b32 %r1, %r2, %r3, %r4;", 300, minus), 0x22334478U);
}

TEST(PtxBits, AreExtendedFromAnyLength) {
  EXPECT_EQ(of("szext.clamp.s32 %r1, %r2, %r3;", 0x1F8, 4), 0xFFFFFFF8U);
  EXPECT_EQ(of("szext.clamp.u32 %r1, %r2, %r3;", 0x1F8, 4), 8U);
  EXPECT_EQ(of("szext.clamp.u32 %r1, %r2, %r3;", 0x1F8, 36), 0x1F8U);
  EXPECT_EQ(of("szext.wrap.u32 %r1, %r2, %r3;", 0x1F8, 36), 8U);
  EXPECT_EQ(of("szext.wrap.s32 %r1, %r2, %r3;", ~0U, 32), 0U);
}

}  // namespace
}  // namespace parity::ptx

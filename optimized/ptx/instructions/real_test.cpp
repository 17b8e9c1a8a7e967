// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

using testing::HasSubstr;

/// The bits of %f1 after the body.
uint32_t single_of(const std::string& body) { return word_of(body + " mov.b32 %r1, %f1;"); }
/// The bits of %rs1.
uint32_t half_of(const std::string& body) { return word_of(body + " cvt.u32.u16 %r1, %rs1;"); }

TEST(PtxReals, AreRoundedToNearestAndAFusedProductOnce) {
  EXPECT_EQ(single_of("mov.f32 %f2, 0f3f800001; mul.f32 %f1, %f2, %f2;"), 0x3F800002U);
  EXPECT_EQ(single_of("mov.f32 %f2, 0f3f800001; mov.f32 %f3, 0fbf800002; fma.rn.f32 %f1, %f2, %f2, %f3;"), 0x28800000U);
  EXPECT_EQ(single_of("mov.f32 %f2, 0f7f7fffff; add.sat.f32 %f1, %f2, %f2;"), 0x3F800000U);
  EXPECT_EQ(single_of("mov.f32 %f2, 0f7fc00001; add.sat.f32 %f1, %f2, %f2;"), 0U);
  EXPECT_EQ(single_of("mov.f32 %f2, 0f7fc00001; add.f32 %f1, %f2, %f2;"), 0x7FFFFFFFU) << "there is one NaN";
}

TEST(PtxReals, FtzTakesSubnormalsAsZeros) {
  EXPECT_EQ(single_of("mov.f32 %f2, 0f80000001; add.ftz.f32 %f1, %f2, %f2;"), 0x80000000U);
  EXPECT_EQ(single_of("mov.f32 %f2, 0f80000001; add.f32 %f1, %f2, %f2;"), 0x80000002U);
  EXPECT_EQ(single_of("mov.f32 %f2, 0f00800000; mov.f32 %f3, 0f3f000000; mul.ftz.f32 %f1, %f2, %f3;"), 0U);
}

TEST(PtxReals, ANumberWinsOverANanAndMinusZeroIsLess) {
  EXPECT_EQ(single_of("mov.f32 %f2, 0f7fc00000; mov.f32 %f3, 0f40000000; min.f32 %f1, %f2, %f3;"), 0x40000000U);
  EXPECT_EQ(single_of("mov.f32 %f2, 0f7fc00000; mov.f32 %f3, 0f40000000; min.NaN.f32 %f1, %f2, %f3;"), 0x7FFFFFFFU);
  EXPECT_EQ(single_of("mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f80000000; min.f32 %f1, %f2, %f3;"), 0x80000000U);
  EXPECT_EQ(single_of("mov.f32 %f2, 0f80000000; mov.f32 %f3, 0f00000000; max.f32 %f1, %f2, %f3;"), 0U);
  EXPECT_EQ(single_of("mov.f32 %f2, 0f80000000; mov.f32 %f3, 0f40000000; copysign.f32 %f1, %f2, %f3;"), 0xC0000000U);
}

TEST(PtxConversions, ClampAndTakeNanAsZero) {
  EXPECT_EQ(word_of("mov.f32 %f2, 0f7fc00000; cvt.rzi.s32.f32 %r1, %f2;"), 0U);
  EXPECT_EQ(word_of("mov.f32 %f2, 0f4f800000; cvt.rzi.u32.f32 %r1, %f2;"), ~0U);
  EXPECT_EQ(word_of("mov.f32 %f2, 0fbf800000; cvt.rzi.u32.f32 %r1, %f2;"), 0U);
  EXPECT_EQ(word_of("mov.f32 %f2, 0f40200000; cvt.rni.s32.f32 %r1, %f2;"), 2U) << "2.5 is a tie";
  EXPECT_EQ(word_of("mov.f32 %f2, 0fc0200000; cvt.rmi.s32.f32 %r1, %f2;"), static_cast<uint32_t>(-3));
  EXPECT_EQ(word_of("mov.u32 %r2, 300; cvt.sat.u8.u32 %r1, %r2;"), 255U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0x1ff; cvt.s8.s32 %r1, %r2; cvt.s32.s8 %r1, %r1;"), ~0U);
  EXPECT_EQ(single_of("mov.u32 %r2, 0x1000001; cvt.rn.f32.u32 %f1, %r2;"), 0x4B800000U);
  EXPECT_EQ(single_of("mov.f64 %fd1, 0d3ff0000010000000; cvt.rn.f32.f64 %f1, %fd1;"), 0x3F800000U);
  EXPECT_THAT(refusal_of("cvt.f32.f64 %f1, %fd1;"), HasSubstr("a rounding, as in '.rn', is expected"));
  EXPECT_THAT(refusal_of("cvt.rn.f64.f32 %fd1, %f1;"), HasSubstr("nothing to round"));
}

TEST(PtxConversions, HalvesAreRoundedToNearestEven) {
  const std::vector<std::pair<std::string, uint32_t>> cases{
      {"0f477fefff", 0x7BFFU}, {"0f477ff000", 0x7C00U}, {"0f33800000", 1U},      {"0f33000000", 0U},
      {"0f33000001", 1U},      {"0f387fffff", 0x400U},  {"0fbf801000", 0xBC00U}, {"0f3f803000", 0x3C02U}};
  for (const auto& [from, to] : cases)
    EXPECT_EQ(half_of("mov.f32 %f2, " + from + "; cvt.rn.f16.f32 %rs1, %f2;"), to) << from;
  EXPECT_EQ(half_of("mov.f32 %f2, 0f3f808000; cvt.rn.bf16.f32 %rs1, %f2;"), 0x3F80U);
  EXPECT_EQ(half_of("mov.f32 %f2, 0f3f818000; cvt.rn.bf16.f32 %rs1, %f2;"), 0x3F82U);
  EXPECT_EQ(half_of("mov.f32 %f2, 0fffc00000; cvt.rn.bf16.f32 %rs1, %f2;"), 0x7FFFU);
  EXPECT_EQ(single_of("mov.u16 %rs2, 0x8001; cvt.f32.f16 %f1, %rs2;"), 0xB3800000U) << "-2^-24";
  EXPECT_EQ(single_of("mov.u16 %rs2, 0x7c00; cvt.f32.f16 %f1, %rs2;"), 0x7F800000U);
  EXPECT_EQ(word_of("mov.f32 %f2, 0f3f800000; mov.f32 %f3, 0f40000000; cvt.rn.bf16x2.f32 %r1, %f2, %f3;"), 0x3F804000U);
}

TEST(PtxHalves, AreComputedWithOneRounding) {
  EXPECT_EQ(half_of("mov.u16 %rs2, 0x3c01; fma.rn.f16 %rs1, %rs2, %rs2, %rs2;"), 0x4002U) << "2 + 3 / 1024 is a tie";
  EXPECT_EQ(half_of("mov.u16 %rs2, 0x7bff; add.f16 %rs1, %rs2, %rs2;"), 0x7C00U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0x3c004000; add.f16x2 %r1, %r2, %r2;"), 0x40004400U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0x3f80bf80; mov.u32 %r3, 0; fma.rn.relu.bf16x2 %r1, %r2, %r2, %r2;"), 0x40000000U);
  EXPECT_EQ(half_of("mov.u16 %rs2, 0x3f81; mov.u16 %rs3, 0x3f80; mov.u16 %rs4, 0x0001; "
                    "fma.rn.bf16 %rs1, %rs2, %rs3, %rs4;"),
            0x3F81U);
}

}  // namespace
}  // namespace parity::ptx

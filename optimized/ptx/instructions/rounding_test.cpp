// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Roundings, narrow formats and approximations as kernels execute them.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

using testing::HasSubstr;

uint32_t rounded_single(const std::string& body) { return word_of(body + " mov.b32 %r1, %f1;"); }
uint32_t rounded_half(const std::string& body) { return word_of(body + " cvt.u32.u16 %r1, %rs1;"); }

// 1 + 2^-24 lies between 1 and 1 + 2^-23.
const std::string kOneAndABit = "mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0f33800000; mov.f32 %f4, 0fB3800000; ";

TEST(Rounding, ofSumsProductsAndFusedProductsGoesWhereTheModifierSays) {
  EXPECT_EQ(rounded_single(kOneAndABit + "add.rp.f32 %f1, %f2, %f3;"), 0x3F800001U);
  EXPECT_EQ(rounded_single(kOneAndABit + "add.rm.f32 %f1, %f2, %f3;"), 0x3F800000U);
  EXPECT_EQ(rounded_single(kOneAndABit + "add.rz.f32 %f1, %f2, %f3;"), 0x3F800000U);
  EXPECT_EQ(rounded_single(kOneAndABit + "sub.rm.f32 %f1, %f4, %f2;"), 0xBF800001U);
  EXPECT_EQ(rounded_single("mov.f32 %f2, 0f3f800001; mul.rp.f32 %f1, %f2, %f2;"), 0x3F800003U);
  EXPECT_EQ(rounded_single(kOneAndABit + "fma.rp.ftz.f32 %f1, %f2, %f2, %f3;"), 0x3F800001U);
  EXPECT_EQ(rounded_single(kOneAndABit + "add.rp.sat.f32 %f1, %f2, %f3;"), 0x3F800000U);
}

TEST(Rounding, ofQuotientsAndRootsGoesWhereTheModifierSays) {
  const std::string three = "mov.f32 %f2, 0f40400000; mov.f32 %f3, 0f3F800000; ";
  EXPECT_EQ(rounded_single(three + "div.rn.f32 %f1, %f3, %f2;"), 0x3EAAAAABU);
  EXPECT_EQ(rounded_single(three + "div.rz.f32 %f1, %f3, %f2;"), 0x3EAAAAAAU);
  EXPECT_EQ(rounded_single(three + "rcp.rm.f32 %f1, %f2;"), 0x3EAAAAAAU);
  EXPECT_EQ(rounded_single(three + "rcp.rp.f32 %f1, %f2;"), 0x3EAAAAABU);
  EXPECT_EQ(rounded_single(three + "sqrt.rm.f32 %f1, %f2;"), 0x3FDDB3D7U);
  EXPECT_EQ(rounded_single(three + "sqrt.rp.f32 %f1, %f2;"), 0x3FDDB3D8U);
}

TEST(Rounding, ofDoublesGoesWhereTheModifierSays) {
  EXPECT_EQ(long_of("mov.f64 %fd1, 0d3FF0000000000000; mov.f64 %fd2, 0d3C00000000000000; add.rp.f64 %fd3, %fd1, %fd2;"
                    "mov.b64 %rd2, %fd3;"),
            0x3FF0000000000001U);
}

TEST(Conversions, roundWhereTheModifierSays) {
  const std::string between = "mov.f32 %f2, 0f3F800001; mov.f64 %fd1, 0d3FF0000000000001; ";  // just above 1
  EXPECT_EQ(rounded_half(between + "cvt.rp.f16.f32 %rs1, %f2;"), 0x3C01U);
  EXPECT_EQ(rounded_half(between + "cvt.rz.bf16.f32 %rs1, %f2;"), 0x3F80U);
  EXPECT_EQ(rounded_single(between + "cvt.rp.f32.f64 %f1, %fd1;"), 0x3F800001U);
  EXPECT_EQ(rounded_single("mov.u32 %r2, 0x1000001; cvt.rz.f32.u32 %f1, %r2;"), 0x4B800000U);
  EXPECT_EQ(rounded_single("mov.u32 %r2, 0x1000001; cvt.rp.f32.u32 %f1, %r2;"), 0x4B800001U);
  EXPECT_EQ(rounded_single("mov.f32 %f2, 0fC0200000; cvt.rpi.f32.f32 %f1, %f2;"), 0xC0000000U);
  EXPECT_EQ(word_of("mov.f32 %f2, 0f7f800000; cvt.rzi.s32.f32 %r1, %f2;"), 0x7FFFFFFFU);
  EXPECT_EQ(word_of("mov.f32 %f2, 0fcf000001; cvt.rzi.s32.f32 %r1, %f2;"), 0x80000000U);
}

TEST(Conversions, toNarrowPairsPutTheFirstSourceHigh) {
  const std::string one_and_two = "mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0f40000000; ";
  EXPECT_EQ(rounded_half(one_and_two + "cvt.rn.satfinite.e4m3x2.f32 %rs1, %f2, %f3;"), 0x3840U);
  EXPECT_EQ(rounded_half(one_and_two + "cvt.rn.satfinite.e5m2x2.f32 %rs1, %f2, %f3;"), 0x3C40U);
  EXPECT_EQ(rounded_half(one_and_two + "cvt.rn.satfinite.e2m3x2.f32 %rs1, %f2, %f3;"), 0x0810U);
  EXPECT_EQ(rounded_half(one_and_two + "cvt.rz.ue8m0x2.f32 %rs1, %f2, %f3;"), 0x7F80U);
  EXPECT_EQ(rounded_half("mov.f32 %f2, 0f47000000; mov.f32 %f3, 0fC7000000; "
                         "cvt.rn.satfinite.relu.e4m3x2.f32 %rs1, %f2, %f3;"),
            0x7E00U)
      << "the largest, and what is negative becomes zero";
}

TEST(Conversions, ofFourBitsFillAByte) {
  const std::string text = kernel_of(
      "mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0f40C00000; .reg .b8 %b<2>;\n"
      "cvt.rn.satfinite.e2m1x2.f32 %b1, %f2, %f3; cvt.rn.f16x2.e2m1x2 %r1, %b1; st.global.u32 [%rd9], %r1;");
  EXPECT_EQ(run_text(text).words.at(0), 0x3C004600U);  // 1 and 6
}

TEST(Conversions, fromNarrowPairsAreExact) {
  EXPECT_EQ(word_of("mov.u16 %rs1, 0x3840; cvt.rn.f16x2.e4m3x2 %r1, %rs1;"), 0x3C004000U);
  EXPECT_EQ(word_of("mov.u16 %rs1, 0x7F80; cvt.rn.bf16x2.ue8m0x2 %r1, %rs1;"), 0x3F804000U);
  EXPECT_EQ(rounded_half("mov.b32 %r2, 0x3C004000; cvt.rn.satfinite.e4m3x2.f16x2 %rs1, %r2;"), 0x3840U);
  EXPECT_EQ(word_of("mov.f32 %f2, 0fBF800000; mov.f32 %f3, 0f40000000; cvt.rn.relu.f16x2.f32 %r1, %f2, %f3;"), 0x4000U);
}

TEST(Conversions, toTf32DropTheLowBits) {
  EXPECT_EQ(word_of("mov.f32 %f2, 0f3F801000; cvt.rna.tf32.f32 %r1, %f2;"), 0x3F802000U);
  EXPECT_EQ(word_of("mov.f32 %f2, 0f3F801000; cvt.rn.tf32.f32 %r1, %f2;"), 0x3F800000U);
}

TEST(Conversions, thatDoNotExistAreRefused) {
  EXPECT_THAT(refusal_of("cvt.rn.e4m3x2.f32 %rs1, %f1, %f2;"), HasSubstr("needs .satfinite"));
  EXPECT_THAT(refusal_of("cvt.rs.f16x2.f32 %r1, %f1, %f2;"), HasSubstr("stochastic"));
  EXPECT_THAT(refusal_of("cvt.rn.f16.e4m3x2 %rs1, %rs2;"),
              HasSubstr("a packed pair as source needs a packed pair as destination"));
  EXPECT_THAT(refusal_of("cvt.rn.satfinite.tf32.f32 %r1, %f1;"), HasSubstr("needs .target sm_100; round with .rna"));
  EXPECT_THAT(refusal_of("cvt.sat.s64.s32 %rd2, %r1;"),
              HasSubstr("has no .sat, because every number fits; leave it out"));
  EXPECT_THAT(refusal_of("cvt.sat.f32.bf16 %f1, %rs1;"), HasSubstr("cvt from .bf16 has no .sat"));
}

TEST(Extremes, ofThreeNumbersAndOfMagnitudes) {
  const std::string numbers = "mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0fC0400000; mov.f32 %f4, 0f40000000; ";
  EXPECT_EQ(rounded_single(numbers + "min.f32 %f1, %f2, %f3, %f4;"), 0xC0400000U);
  EXPECT_EQ(rounded_single(numbers + "max.abs.f32 %f1, %f2, %f3, %f4;"), 0x40400000U);
  EXPECT_EQ(rounded_single(numbers + "max.NaN.f32 %f1, %f2, 0f7FC00000, %f4;"), 0x7FFFFFFFU);
  EXPECT_EQ(rounded_single(numbers + "max.xorsign.abs.f32 %f1, %f3, %f4;"), 0xC0400000U);
  EXPECT_EQ(word_of("mov.b32 %r2, 0xC2003C00; mov.b32 %r3, 0x4000BC00; max.xorsign.abs.f16x2 %r1, %r2, %r3;"),
            0xC200BC00U);
}

TEST(Extremes, ofTheLanesOfAWarp) {
  const std::string numbers = "cvt.rn.f32.u32 %f2, %r0; sub.f32 %f2, %f2, 0f41A00000; ";  // -20 to 11
  EXPECT_EQ(rounded_single(numbers + "redux.sync.min.f32 %f1, %f2, -1;"), 0xC1A00000U);
  EXPECT_EQ(rounded_single(numbers + "redux.sync.max.f32 %f1, %f2, -1;"), 0x41300000U);
  EXPECT_EQ(rounded_single(numbers + "redux.sync.max.abs.f32 %f1, %f2, -1;"), 0x41A00000U);
}

TEST(Approximations, ofHalvesAreRoundedOnce) {
  EXPECT_EQ(rounded_half("mov.u16 %rs2, 0x4200; ex2.approx.f16 %rs1, %rs2;"), 0x4800U);
  EXPECT_EQ(rounded_half("mov.u16 %rs2, 0x4040; ex2.approx.ftz.bf16 %rs1, %rs2;"), 0x4100U);
  EXPECT_EQ(word_of("mov.b32 %r2, 0x00004900; tanh.approx.f16x2 %r1, %r2;"), 0x00003C00U);
  EXPECT_EQ(rounded_half("mov.u16 %rs2, 0; tanh.approx.bf16 %rs1, %rs2;"), 0U);
}

TEST(Approximations, ofDoublesKeepTheUpperHalf) {
  EXPECT_EQ(long_of("mov.f64 %fd1, 0d4008000000000000; rcp.approx.ftz.f64 %fd2, %fd1; mov.b64 %rd2, %fd2;"),
            0x3FD5555500000000U);
}

/// 2^(lane / 32) by every lane.
std::vector<uint32_t> powers(uint64_t seed) {
  Given given;
  given.options.approximation_seed = seed;
  return run_body(
             "cvt.rn.f32.u32 %f1, %r0; mul.f32 %f1, %f1, 0f3D000000; ex2.approx.f32 %f2, %f1;\n"
             "st.global.f32 [%rd9], %f2;",
             given)
      .words;
}

TEST(Approximations, errWithinTheDocumentedBoundAsTheSeedSays) {
  const std::vector<uint32_t> exact = powers(0), seven = powers(7), eight = powers(8);
  uint32_t differ = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const double value = std::exp2(lane / 32.0);
    EXPECT_LE(std::abs(double{std::bit_cast<float>(seven[lane])} - value), 2.5 * 0x1p-23)
        << "2 ulp of the rounded result, 9.7.3.21";
    differ += seven[lane] != exact[lane] ? 1U : 0U;
  }
  EXPECT_GT(differ, 5U);
  EXPECT_NE(seven, eight);
  EXPECT_EQ(seven, powers(7));
}

TEST(Comparisons, ofHalvesMayFlush) {
  const std::string tiny = "mov.u16 %rs1, 1; mov.u16 %rs2, 0; ";
  EXPECT_EQ(word_of(tiny + "setp.gt.f16 %p1, %rs1, %rs2; selp.u32 %r1, 1, 0, %p1;"), 1U);
  EXPECT_EQ(word_of(tiny + "setp.gt.ftz.f16 %p1, %rs1, %rs2; selp.u32 %r1, 1, 0, %p1;"), 0U);
}

}  // namespace
}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// NaN, zeros and subnormals as an H100 treats them; its recorded answers are in ci/gpu/probe.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

/// The bits of %fd1 after the instruction, of a signalling and two quiet NaN in %fd2, %fd3 and %fd4; %fd5 is -1.
uint64_t double_of(const std::string& instruction) {
  return long_of(
      "mov.b64 %fd2, 0xFFF0000000000001; mov.b64 %fd3, 0x7FF8000000000002; mov.b64 %fd4, 0x7FF8000000000003; "
      "mov.b64 %fd5, 0xBFF0000000000000; mov.b64 %fd6, 0;" +
      instruction + "mov.b64 %rd2, %fd1;");
}

TEST(PtxNan, OfDoublesKeepsItsSignAndFractionAndBecomesQuiet) {
  for (const std::string rounding : {".rn", ".rz"}) {
    EXPECT_EQ(double_of("add" + rounding + ".f64 %fd1, %fd2, %fd5;"), 0xFFF8000000000001U);
    EXPECT_EQ(double_of("sub" + rounding + ".f64 %fd1, %fd5, %fd2;"), 0xFFF8000000000001U);
    EXPECT_EQ(double_of("mul" + rounding + ".f64 %fd1, %fd2, %fd3;"), 0x7FF8000000000002U) << "the second";
    EXPECT_EQ(double_of("div" + rounding + ".f64 %fd1, %fd3, %fd4;"), 0x7FF8000000000002U) << "the dividend";
    EXPECT_EQ(double_of("fma" + rounding + ".f64 %fd1, %fd2, %fd5, %fd3;"), 0x7FF8000000000002U) << "what is added";
    EXPECT_EQ(double_of("fma" + rounding + ".f64 %fd1, %fd5, %fd4, %fd3;"), 0x7FF8000000000003U) << "the second";
    EXPECT_EQ(double_of("sqrt" + rounding + ".f64 %fd1, %fd5;"), 0xFFF8000000000000U) << "made by the operation";
    EXPECT_EQ(double_of("rcp" + rounding + ".f64 %fd1, %fd2;"), 0xFFF8000000000001U);
  }
  EXPECT_EQ(double_of("neg.f64 %fd1, %fd2;"), 0xFFF8000000000001U) << "the sign stays";
  EXPECT_EQ(double_of("abs.f64 %fd1, %fd2;"), 0xFFF8000000000001U);
  EXPECT_EQ(double_of("max.f64 %fd1, %fd3, %fd2;"), 0xFFF8000000000001U);
  EXPECT_EQ(double_of("cvt.rni.f64.f64 %fd1, %fd2;"), 0xFFF8000000000001U);
  EXPECT_EQ(double_of("mov.b32 %f1, 0xFF800001; cvt.f64.f32 %fd1, %f1;"), 0xFFF8000020000000U);
  EXPECT_EQ(double_of("mov.b16 %rs1, 0xFC01; cvt.f64.f16 %fd1, %rs1;"), 0xFFF8040000000000U);
}

TEST(PtxNan, OfSignsOfNarrowNumbersIsTheCanonicalOne) {
  const auto half_of = [](const std::string& body) { return word_of(body + "cvt.u32.u16 %r1, %rs1;"); };
  for (const std::string name : {"neg", "abs"}) {
    EXPECT_EQ(word_of("mov.b32 %f2, 0xFFC00001; " + name + ".f32 %f1, %f2; mov.b32 %r1, %f1;"), 0x7FFFFFFFU);
    EXPECT_EQ(word_of("mov.b32 %f2, 0xFFC00001; " + name + ".ftz.f32 %f1, %f2; mov.b32 %r1, %f1;"), 0x7FFFFFFFU);
    EXPECT_EQ(half_of("mov.b16 %rs2, 0xFC01; " + name + ".f16 %rs1, %rs2;"), 0x7FFFU);
    EXPECT_EQ(half_of("mov.b16 %rs2, 0x7F81; " + name + ".bf16 %rs1, %rs2;"), 0x7FFFU);
  }
  EXPECT_EQ(half_of("mov.b16 %rs2, 0x7F81; neg.f16 %rs1, %rs2;"), 0x7FFFU);
  EXPECT_EQ(half_of("mov.b16 %rs2, 0x7C01; neg.bf16 %rs1, %rs2;"), 0xFC01U) << "a number of bf16";
  EXPECT_EQ(word_of("mov.b32 %r2, 0x03FF8001; neg.ftz.f16x2 %r1, %r2;"), 0x80000000U);
  EXPECT_EQ(word_of("mov.b32 %r2, 0x83FFFC00; abs.ftz.f16x2 %r1, %r2;"), 0x00007C00U);
  EXPECT_THAT(refusal_of("neg.ftz.bf16 %rs1, %rs2;"), testing::HasSubstr("'.ftz' is only for .f16 and .f32"));
}

TEST(PtxNan, OfConversionsIsCutOrShifted) {
  EXPECT_EQ(word_of("mov.b16 %rs1, 0x7F81; cvt.f32.bf16 %f1, %rs1; mov.b32 %r1, %f1;"), 0x7F810000U);
  EXPECT_EQ(word_of("mov.b16 %rs1, 0x7F81; cvt.ftz.f32.bf16 %f1, %rs1; mov.b32 %r1, %f1;"), 0x7FFFFFFFU);
  EXPECT_EQ(word_of("mov.b64 %fd1, 0xFFF0000020000001; cvt.rn.f32.f64 %f1, %fd1; mov.b32 %r1, %f1;"), 0xFFC00001U);
  EXPECT_EQ(word_of("mov.b64 %fd1, 0xFFF0000000000001; cvt.rz.f16.f64 %rs1, %fd1; cvt.u32.u16 %r1, %rs1;"), 0xFE00U);
  EXPECT_EQ(word_of("mov.b32 %f1, 0xFF94582F; cvt.rna.tf32.f32 %r1, %f1;"), 0xFF944000U);
  EXPECT_EQ(word_of("mov.b32 %f1, 0xFF94582F; cvt.rna.satfinite.tf32.f32 %r1, %f1;"), 0xFF942000U);
  EXPECT_EQ(word_of("mov.b32 %f1, 0xFF94582F; cvt.rn.tf32.f32 %r1, %f1;"), 0x7FFFE000U);
}

TEST(PtxAtomics, OfGlobalMemoryFlushSubnormalsAndLeaveNanOfDoubles) {
  const std::string single =
      "mov.b32 %f1, 0x00400000; mov.b32 %r2, 0x00800000; cvta.to.global.u64 %rd4, %rd1; "
      "{ .shared .b64 cell; mov.u32 %r3, cell; cvt.u64.u32 %rd5, %r3; cvta.shared.u64 %rd5, %rd5;";
  const auto of = [&](const std::string& body) { return word_of(single + body + "}", {0, 0}); };
  EXPECT_EQ(of("st.global.b32 [%rd4], %r2; red.global.add.f32 [%rd4], %f1; ld.global.b32 %r1, [%rd4];"), 0x00800000U);
  EXPECT_EQ(of("st.global.b32 [%rd4], %r2; red.add.f32 [%rd4], %f1; ld.global.b32 %r1, [%rd4];"), 0x00800000U);
  EXPECT_EQ(of("elect.sync _|%p1, -1; st.shared.b32 [%r3], %r2; bar.warp.sync -1; "
               "@%p1 red.add.f32 [%rd5], %f1; ld.shared.b32 %r1, [%r3];"),
            0x00C00000U);
  const std::string nan = "mov.b64 %rd6, 0x7FF0000000000001; st.global.b64 [%rd1], %rd6; ";
  EXPECT_EQ(long_of(nan + "red.global.add.f64 [%rd1], 0d3FF0000000000000; ld.global.b64 %rd2, [%rd1];", {0, 0}),
            0x7FF0000000000001U);
}

TEST(PtxNumbers, OfAnEdgeAreThoseOfAGpu) {
  EXPECT_EQ(word_of("mov.b32 %f1, 0x80000000; testp.normal.f32 %p1, %f1; selp.u32 %r1, 1, 0, %p1;"), 1U);
  EXPECT_EQ(word_of("mov.b32 %f1, 1; testp.normal.f32 %p1, %f1; selp.u32 %r1, 1, 0, %p1;"), 0U);
  EXPECT_EQ(word_of("mov.u32 %r2, 0x0FF0; mov.u32 %r3, 4; fns.b32 %r1, %r2, %r3, 0x80000000;"), 0U);
  EXPECT_EQ(long_of("mov.u64 %rd3, 5; mov.u64 %rd4, 0; rem.s64 %rd2, %rd3, %rd4;"), ~uint64_t{0});
}

}  // namespace
}  // namespace parity::ptx

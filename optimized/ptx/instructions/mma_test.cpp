// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// mma.sync as kernels execute it: against sums worked out by hand, and against the pure function on drawn fragments.
#include "optimized/ptx/matrix/mma.hpp"

#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

/// "{%r10, %r11}"
std::string registers(uint32_t first, size_t count, const char* name = "%r") {
  std::string text = "{";
  for (uint32_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + std::string(name) + std::to_string(first + i);
  return text + "}";
}

struct Counts {
  uint32_t a, b, c;
};

/// Every lane loads its registers from the second buffer, register by register, and stores those of D to the first.
std::string body_of(const std::string& opcode, const Counts& n) {
  std::string body = "add.s64 %rd2, %rd1, %rd8;\n";
  for (uint32_t i = 0; i < n.a + n.b + n.c; ++i)
    body += fmt::format("ld.global.u32 %r{}, [%rd2+{}];\n", 10 + i, 128 * i);
  body += opcode + " " + registers(30, n.c) + ", " + registers(10, n.a) + ", " + registers(10 + n.a, n.b) + ", " +
          registers(10 + n.a + n.b, n.c) + ";\n";
  for (uint32_t i = 0; i < n.c; ++i) body += fmt::format("st.global.u32 [%rd9+{}], %r{};\n", 128 * i, 30 + i);
  return body;
}

/// D by the executor, and by the pure function.
void expect_same(const std::string& opcode, const Mma& mma, const Counts& n, const std::vector<uint32_t>& input) {
  Given given = checked(32);
  given.input = input;
  given.words = 32 * n.c;

  const Ran ran = run_body(body_of(opcode, n), given);

  EXPECT_EQ(findings_of(ran), "");
  std::vector<uint32_t> expected(32 * n.c);
  std::array<const uint32_t*, 8> a{}, b{}, c{};
  std::array<uint32_t*, 8> d{};
  for (uint32_t i = 0; i < n.a; ++i) a[i] = input.data() + 32 * i;
  for (uint32_t i = 0; i < n.b; ++i) b[i] = input.data() + 32 * (n.a + i);
  for (uint32_t i = 0; i < n.c; ++i) c[i] = input.data() + 32 * (n.a + n.b + i);
  for (uint32_t i = 0; i < n.c; ++i) d[i] = expected.data() + 32 * i;
  execute_mma(mma, a.data(), b.data(), c.data(), d.data());
  EXPECT_EQ(ran.words, expected) << opcode;
}

std::vector<uint32_t> drawn(const Counts& n, const std::function<uint32_t(std::mt19937&)>& word, uint32_t c_bits) {
  std::mt19937 random(20260101);
  std::vector<uint32_t> words;
  for (uint32_t i = 0; i < 32 * (n.a + n.b); ++i) words.push_back(word(random));
  for (uint32_t i = 0; i < 32 * n.c; ++i)
    words.push_back(c_bits == 32 ? std::bit_cast<uint32_t>(static_cast<float>(random() % 1000) / 7.0F) : word(random));
  return words;
}

/// Two halves between 1/2 and 4, of either sign: no code is special, sums round.
uint32_t two_halves(std::mt19937& random, bool bfloat) {
  uint32_t word = 0;
  for (int i = 0; i < 2; ++i) {
    const auto x = static_cast<float>(static_cast<int32_t>(random() % 4001) - 2000) / 512.0F;
    word = word << 16U | (bfloat ? native::bf16_of_f32(x) : native::f16_of_f32(x));
  }
  return word;
}

TEST(MmaSync, givesTheBitsOfThePureFunctionSeed20260101) {
  const auto halves = [](std::mt19937& r) { return two_halves(r, false); };
  const auto bfloats = [](std::mt19937& r) { return two_halves(r, true); };
  const auto singles = [](std::mt19937& r) {
    return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(r() % 4001) - 2000) / 512.0F);
  };
  const auto bytes = [](std::mt19937& r) { return static_cast<uint32_t>(r()) & 0x77777777U; };
  using T = MatrixType;
  expect_same("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", {{16, 8, 16}, T::bf16, T::bf16}, {4, 2, 4},
              drawn({4, 2, 4}, bfloats, 32));
  expect_same("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", {{16, 8, 16}, T::f16, T::f16}, {4, 2, 4},
              drawn({4, 2, 4}, halves, 32));
  expect_same("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", {{16, 8, 8}, T::f16, T::f16, T::f16, T::f16},
              {2, 1, 2}, drawn({2, 1, 2}, halves, 16));
  expect_same("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", {{16, 8, 8}, T::tf32, T::tf32}, {4, 2, 4},
              drawn({4, 2, 4}, singles, 32));
  expect_same("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", {{16, 8, 32}, T::e4m3, T::e5m2}, {4, 2, 4},
              drawn({4, 2, 4}, bytes, 32));
  expect_same("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32",
              {{16, 8, 32}, T::s8, T::u8, T::s32, T::s32, true}, {4, 2, 4}, drawn({4, 2, 4}, bytes, 8));
  expect_same("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", {{8, 8, 4}, T::f16, T::f16}, {2, 2, 8},
              drawn({2, 2, 8}, halves, 32));
}

TEST(MmaSync, addsTheProductsOfRowsAndColumns) {
  // A is ones (bf16 0x3F80), B is twos (0x4000), C is a half: 16 * 2 + 0.5.
  const Ran ran = run_body(
      "mov.b32 %r10, 0x3F803F80; mov.b32 %r11, 0x40004000; mov.f32 %f1, 0f3F000000;\n"
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f2, %f3, %f4, %f5}, {%r10, %r10, %r10, %r10}, "
      "{%r11, %r11}, {%f1, %f1, %f1, 0f40000000};\n"
      "setp.lt.u32 %p1, %r0, 16; selp.f32 %f6, %f2, %f5, %p1; st.global.f32 [%rd9], %f6;");

  EXPECT_EQ(ran.words[0], std::bit_cast<uint32_t>(32.5F));
  EXPECT_EQ(ran.words[31], std::bit_cast<uint32_t>(34.0F));
}

// 1 and seven times 2^-25: to nearest each is lost; an H100 adds them before they are cut off.
TEST(MmaSync, addsInTheOrderThatTheOptionsName) {
  const std::string body =
      "mov.b32 %r10, 0x3F803F80; mov.b32 %r11, 0x33003300; mov.b32 %r13, 0x33003F80; mov.f32 %f1, 0f00000000;\n"
      "and.b32 %r12, %r0, 3; setp.eq.u32 %p1, %r12, 0; selp.b32 %r11, %r13, %r11, %p1;\n"
      "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f2, %f3, %f4, %f5}, {%r10, %r10}, {%r11}, "
      "{%f1, %f1, %f1, %f1};\nst.global.f32 [%rd9], %f2;";
  Given sequential;
  sequential.options.summation.order = Summation::Order::sequential;

  EXPECT_EQ(run_body(body).words[0], 0x3F800001U);
  EXPECT_EQ(run_body(body, sequential).words[0], 0x3F800000U);
}

TEST(MmaSync, multipliesDoubles) {
  const Ran ran = run_body(
      "cvt.rn.f64.u32 %fd1, %r0; mov.f64 %fd2, 0d3FF0000000000000; mov.f64 %fd3, 0d0000000000000000;\n"
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd4, %fd5}, {%fd1}, {%fd2}, {%fd3, %fd3};\n"
      "cvt.rzi.u32.f64 %r1, %fd5; st.global.u32 [%rd9], %r1;");

  // Row g of A is the lanes 4 g to 4 g + 3: their sum is 16 g + 6.
  for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(ran.words[lane], lane / 4 * 16 + 6) << lane;
}

TEST(MmaSync, lanesThatCameFromDifferentPlacesMultiplyTogether) {
  const Ran ran = run_body(
      "mov.b32 %r10, 0x3F803F80; mov.f32 %f1, 0f00000000; setp.lt.u32 %p1, %r0, 7; @%p1 bra A; mov.f32 %f1, "
      "0f3F800000;\nA: mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f2, %f3, %f4, %f5}, {%r10, %r10}, {%r10}, "
      "{%f1, %f1, %f1, %f1};\nst.global.f32 [%rd9], %f2;");

  EXPECT_EQ(ran.words[6], std::bit_cast<uint32_t>(8.0F));
  EXPECT_EQ(ran.words[7], std::bit_cast<uint32_t>(9.0F));
}

TEST(MmaSync, aRegisterThatWasNeverWrittenIsFound) {
  const Ran ran = run_body(
      "mov.b32 %r10, 0; mov.f32 %f1, 0f00000000;\n"
      "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f2, %f3, %f4, %f5}, {%r10, %r11}, {%r10}, "
      "{%f1, %f1, %f1, %f1};",
      checked(32));

  EXPECT_NE(findings_of(ran).find("register %r11 is read and was never written"), std::string::npos);
}

TEST(MmaSync, whatNoTensorCoreHasIsRefused) {
  const std::string operands = " {%f2, %f3, %f4, %f5}, {%r1, %r1}, {%r1}, {%f2, %f3, %f4, %f5};";
  EXPECT_NE(refusal_of("mma.sync.aligned.m16n8k9.row.col.f32.bf16.bf16.f32" + operands).find("there is no dense"),
            std::string::npos);
  EXPECT_NE(refusal_of("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32" + operands).find("registers are expected"),
            std::string::npos);
  EXPECT_NE(refusal_of("mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32" + operands), "");
}

}  // namespace
}  // namespace parity::ptx

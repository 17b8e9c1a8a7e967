// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// wmma as compilers emit it: matrices of small whole numbers, whose products are exact, against sums by hand.
#include <bit>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/ptx/number/native.hpp"
#include "optimized/ptx/testing/kernels.hpp"

namespace parity::ptx {
namespace {

using testing::HasSubstr;

/// "{%r10, %r11}"
std::string several(uint32_t first, uint32_t count, const char* name = "%r") {
  std::string text = "{";
  for (uint32_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + std::string(name) + std::to_string(first + i);
  return text + "}";
}

struct WmmaCase {
  int m, n, k;
  std::string factor, sum;  // types
  uint32_t a, b, c;         // registers
  bool a_by_columns = false, b_by_columns = false;
  std::string types;  // of the product, where it names more than ".sum.sum"
};

/// Small numbers of either sign, another one at each place.
int number_at(int row, int column, int salt) { return (row * 5 + column * 3 + salt) % 7 - 3; }

int value(const WmmaCase& x, int row, int column, int salt) {
  return x.factor == "u8" ? number_at(row, column, salt) + 3 : number_at(row, column, salt);
}

void put_code(std::vector<uint32_t>& words, size_t index, const std::string& type, int number) {
  const auto real = static_cast<float>(number);
  const uint32_t code = type == "f16"                     ? native::f16_of_f32(real)
                        : type == "bf16"                  ? native::bf16_of_f32(real)
                        : type == "tf32" || type == "f32" ? std::bit_cast<uint32_t>(real)
                                                          : static_cast<uint32_t>(number);
  const unsigned bits = type == "f16" || type == "bf16" ? 16 : type == "s8" || type == "u8" ? 8 : 32;
  const size_t per_word = 32 / bits;
  const uint32_t kept = bits == 32 ? code : code & ((1U << bits) - 1);
  if (words.size() <= index / per_word) words.resize(index / per_word + 1);
  words[index / per_word] |= kept << (index % per_word * bits);
}

/// A, then B, then C by rows, each from a multiple of 2048 bytes.
std::vector<uint32_t> input_of(const WmmaCase& x) {
  std::vector<uint32_t> a, b, c;
  for (int i = 0; i < x.m; ++i) {
    for (int l = 0; l < x.k; ++l)
      put_code(a, static_cast<size_t>(x.a_by_columns ? l * x.m + i : i * x.k + l), x.factor, value(x, i, l, 0));
  }
  for (int l = 0; l < x.k; ++l) {
    for (int j = 0; j < x.n; ++j)
      put_code(b, static_cast<size_t>(x.b_by_columns ? j * x.k + l : l * x.n + j), x.factor, value(x, l, j, 4));
  }
  for (int i = 0; i < x.m * x.n; ++i) put_code(c, static_cast<size_t>(i), x.sum, number_at(i / x.n, i % x.n, 2));
  for (auto* part : {&a, &b, &c}) part->resize(512);
  a.insert(a.end(), b.begin(), b.end());
  a.insert(a.end(), c.begin(), c.end());
  return a;
}

std::string body_of(const WmmaCase& x) {
  const std::string shape = fmt::format("m{}n{}k{}", x.m, x.n, x.k);
  const std::string of_a = x.a_by_columns ? "col" : "row", of_b = x.b_by_columns ? "col" : "row";
  const uint32_t b = 8 + x.a, c = b + x.b;
  return fmt::format(
      "wmma.load.a.sync.aligned.{1}.{0}.global.{3} {5}, [%rd1], {9};\n"
      "wmma.load.b.sync.aligned.{2}.{0}.global.{3} {6}, [%rd1+2048], {10};\n"
      "wmma.load.c.sync.aligned.row.{0}.global.{4} {7}, [%rd1+4096];\n"
      "wmma.mma.sync.aligned.{1}.{2}.{0}.{8} {7}, {5}, {6}, {7};\n"
      "wmma.store.d.sync.aligned.row.{0}.global.{4} [%rd0], {7}, {11};\n",
      shape, of_a, of_b, x.factor, x.sum, several(8, x.a), several(b, x.b), several(c, x.c),
      x.types.empty() ? x.sum + "." + x.sum : x.types, x.a_by_columns ? x.m : x.k, x.b_by_columns ? x.k : x.n, x.n);
}

void expect_product(const WmmaCase& x) {
  Given given = checked(32);
  given.input = input_of(x);
  given.words = 512;

  const Ran ran = run_body(body_of(x), given);

  EXPECT_EQ(findings_of(ran), "");
  std::vector<uint32_t> expected;
  for (int i = 0; i < x.m; ++i) {
    for (int j = 0; j < x.n; ++j) {
      int sum = number_at(i, j, 2);
      for (int l = 0; l < x.k; ++l) sum += value(x, i, l, 0) * value(x, l, j, 4);
      put_code(expected, static_cast<size_t>(i * x.n + j), x.sum, sum);
    }
  }
  expected.resize(512);
  EXPECT_EQ(ran.words, expected) << body_of(x);
}

TEST(Wmma, MultipliesEveryTypeShapeAndLayout) {
  for (const bool by_columns : {false, true}) {
    expect_product({16, 16, 16, "f16", "f32", 8, 8, 8, by_columns, !by_columns, ""});
    expect_product({16, 16, 16, "f16", "f16", 8, 8, 4, by_columns, by_columns, ""});
    expect_product({32, 8, 16, "f16", "f32", 8, 8, 8, by_columns, !by_columns, ""});
    expect_product({8, 32, 16, "f16", "f32", 8, 8, 8, by_columns, by_columns, ""});
    expect_product({16, 16, 16, "bf16", "f32", 4, 4, 8, by_columns, !by_columns, "f32.bf16.bf16.f32"});
    expect_product({32, 8, 16, "bf16", "f32", 8, 2, 8, by_columns, by_columns, "f32.bf16.bf16.f32"});
    expect_product({16, 16, 8, "tf32", "f32", 4, 4, 8, by_columns, !by_columns, "f32.tf32.tf32.f32"});
    expect_product({16, 16, 16, "s8", "s32", 2, 2, 8, by_columns, !by_columns, "s32.s8.s8.s32"});
    expect_product({8, 32, 16, "u8", "s32", 1, 4, 8, by_columns, by_columns, "s32.u8.u8.s32"});
  }
}

TEST(Wmma, WhatIsDoneToEveryElementIsDoneToTheMatrix) {
  // A fragment of ones, doubled by register: 16 times 2 in each element.
  const Ran ran = run_body(
      "mov.b32 %r8, 0x3F803F80; mov.b32 %r9, 0x3F803F80; mov.f32 %f1, 0f00000000;\n"
      "wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32 {%f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9},\n"
      "{%r8, %r8, %r8, %r8}, {%r9, %r9, %r9, %r9}, {%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1};\n"
      "add.f32 %f2, %f9, %f9; st.global.f32 [%rd9], %f2;");

  for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(ran.words[lane], std::bit_cast<uint32_t>(32.0F));
}

TEST(Wmma, ARowBeyondTheMatrixIsFound) {
  Given given = checked(32);
  given.input.resize(120);

  const Ran ran =
      run_body("wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 {%r8, %r9, %r10, %r11}, [%rd1], 16;", given);

  ASSERT_FALSE(ran.outcome.findings.empty());
  EXPECT_EQ(ran.outcome.findings.front().kind, Finding::Kind::out_of_bounds);
  EXPECT_EQ(ran.outcome.findings.front().thread.thread.x, 30U) << findings_of(ran);  // elements 240 on: byte 480
}

TEST(Wmma, RefusesWhatIsNotThere) {
  EXPECT_THAT(refusal_of("wmma.load.a.sync.aligned.row.m8n8k32.s4 {%r8}, [%rd1], 32;"), HasSubstr("m8n8k32"));
  EXPECT_THAT(refusal_of("wmma.load.a.sync.aligned.row.m16n16k16.bf16 {%r8}, [%rd1], 16;"),
              HasSubstr("4 registers are expected"));
}

}  // namespace
}  // namespace parity::ptx

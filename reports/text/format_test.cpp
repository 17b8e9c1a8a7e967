// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/format.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace parity::reports {
namespace {

TEST(Format, PlainTextKeepsUtf8AndLosesControlCharacters) {
  EXPECT_EQ(plain("größe → 1"), "größe → 1");
  EXPECT_EQ(plain("a\033[31mb\n\x7f"), "a?[31mb??");
  EXPECT_EQ(plain("a\nb\r", true), "a\nb?");
  EXPECT_EQ(plain("\xC2\x9B"), "?");  // CSI as one character
  EXPECT_EQ(plain(std::string("a\0b", 3)), "a?b");
}

TEST(Format, PlainTextReplacesBrokenUtf8) {
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(plain("a\xFFz"), "a" + replaced + "z");
  EXPECT_EQ(plain("\xE2\x86"), replaced + replaced);                 // incomplete
  EXPECT_EQ(plain("\xC0\xAF"), replaced + replaced);                 // overlong encoding
  EXPECT_EQ(plain("\xED\xA0\x80"), replaced + replaced + replaced);  // surrogate
  EXPECT_EQ(plain("\xEF\xBF\xBF"), replaced);                        // U+FFFF
}

TEST(Format, LimitIsAShareBelowItAndAMultipleBeyond) {
  EXPECT_EQ(of_limit(0.875), "87.5%");
  EXPECT_EQ(of_limit(1.0), "100%");
  EXPECT_EQ(of_limit(2.0), "2x");
  EXPECT_EQ(of_limit(490.2), "490x");
  EXPECT_EQ(of_limit(123456.0), "123456x");
  EXPECT_EQ(limit_text(490.2), "490x the limit");
  EXPECT_EQ(limit_text(0.875), "87.5% of the limit");
}

TEST(Format, LimitNeverRoundsAcrossItself) {
  EXPECT_EQ(of_limit(1.0000001), ">1x");
  EXPECT_EQ(of_limit(0.9999999), "<100%");
  EXPECT_EQ(of_limit(2.3e40), ">1000000x");
}

TEST(Format, LimitOfNothingIsSaidInWords) {
  EXPECT_EQ(of_limit(HUGE_VAL), "none");
  EXPECT_EQ(limit_text(HUGE_VAL), "no deviation is allowed");
  EXPECT_EQ(of_limit(std::nan("")), "NaN");
  EXPECT_EQ(limit_text(std::nan("")), "not a number");
}

TEST(Format, ShareIsAHundredOnlyWhenAllBitsAgree) {
  EXPECT_EQ(share({4, 4, 0}), "100%");
  EXPECT_EQ(share({999999999, 1000000000, 0}), "99.9999%");
  EXPECT_EQ(share({0, 0, 0}), "-");
}

TEST(Format, NumbersTellNeighboursOfTheTypeApart) {
  EXPECT_EQ(element(DType::bf16, 0.25195312), "0.25195");
  EXPECT_EQ(element(DType::f32, 1.0 + 0x1p-23), "1.00000012");
  EXPECT_EQ(element(DType::f64, 0.1), "0.10000000000000001");
  EXPECT_EQ(element(DType::i64, 1234567), "1234567");
  EXPECT_EQ(number(-HUGE_VAL), "-Infinity");
}

TEST(Format, ShapesAndIndicesCarryAxisLetters) {
  EXPECT_EQ(shape_text("B,S,AD", {1, 17, 4096}), "(B=1,S=17,AD=4096)");
  EXPECT_EQ(index_text("B,S,AD", {0, 3, 9}), "[b=0,s=3,ad=9]");
  EXPECT_EQ(index_text("", {3, 9}), "[3,9]");
  EXPECT_EQ(shape_text("S", {3, 9}), "(3,9)");
}

}  // namespace
}  // namespace parity::reports

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Values that are zero, constant, negated, scaled, offset, rounded or unwritten.
#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "compare/testing/tap_values.hpp"
#include "core/testing/numbers.hpp"

namespace parity::compare {
namespace {

using parity::tests::kNaN;

using tests::I;
using tests::Tap;

TEST(ValueMatch, NothingWrongIsNothingToName) { EXPECT_EQ(Tap().words(), ""); }

TEST(ValueMatch, HeadOfZeros) {
  Tap tap;
  tap.changed([](double x, I, I, I a, I) { return a == 2 ? 0.0 : x; });

  EXPECT_EQ(tap.words(), "zero A: head 2 is zero");
  EXPECT_EQ(tap.match()->explains, 1.0);
}

TEST(ValueMatch, WholeTapOfZeros) {
  Tap tap;
  tap.changed([](double, I, I, I, I) { return 0.0; });

  EXPECT_EQ(tap.words(), "zero : every element is zero");
}

TEST(ValueMatch, TokenOfOneNumber) {
  Tap tap;
  tap.changed([](double x, I, I s, I, I) { return s == 3 ? 0.5 : x; });

  EXPECT_EQ(tap.words(), "constant S: token 3 is 0.5 everywhere");
}

TEST(ValueMatch, NegatedSequence) {
  Tap tap(DType::f32);
  tap.changed([](double x, I b, I, I, I) { return b == 1 ? -x : x; });

  EXPECT_EQ(tap.words(), "negated B: sequence 1 is negated");
}

TEST(ValueMatch, FactorsHaveNames) {
  Tap twice, root, any;
  twice.changed([](double x, I, I, I a, I) { return a == 1 ? 2.0 * x : x; });
  root.changed([](double x, I, I, I, I) { return round_to(DType::bf16, x / std::sqrt(8.0)); });
  any.changed([](double x, I, I, I, I) { return round_to(DType::bf16, 1.3 * x); });

  EXPECT_EQ(twice.words(), "scaled A: head 1 times 2");
  EXPECT_EQ(root.words(), "scaled : every element times 1/sqrt(8)");
  EXPECT_EQ(any.words(), "scaled : every element times 1.3");
}

TEST(ValueMatch, Offset) {
  Tap tap(DType::f32);
  tap.changed([](double x, I, I, I, I d) { return d == 5 ? round_to(DType::f32, x + 1.0) : x; });

  EXPECT_EQ(tap.words(), "offset D: channel 5 plus 1");
}

TEST(ValueMatch, WhatRoundingsExplainIsNoOffset) {
  Tap tap(DType::f32);
  for (double& x : tap.exact) x = 1.0 + 0.1 * x;
  for (size_t i = 0; i < tap.exact.size(); ++i) {
    tap.rounded[i] = round_to(DType::f32, tap.exact[i]);
    tap.got[i] = round_to(DType::f32, tap.rounded[i] + 2e-7);  // another correct norm, one or two ulp above
    tap.allowed[i] = 1e-7;
  }

  EXPECT_EQ(tap.words(), "");
}

TEST(ValueMatch, RoundedOnceMore) {
  Tap single(DType::f32), half(DType::bf16);
  single.changed([](double x, I, I, I, I) { return round_to(DType::bf16, x); });
  half.changed([](double x, I, I, I, I) { return round_to(DType::e4m3fn, x); });

  EXPECT_EQ(single.words(), "rounded : every element rounded once more, to bf16");
  EXPECT_EQ(half.words(), "rounded : every element rounded once more, to e4m3fn");
}

/// Returns the upper half of a binary32, as some engines convert to bf16.
double upper_half(double x) {
  return static_cast<double>(std::bit_cast<float>(std::bit_cast<uint32_t>(static_cast<float>(x)) & 0xFFFF0000U));
}

TEST(ValueMatch, Truncated) {
  Tap single(DType::f32), own(DType::bf16);
  single.changed([](double x, I, I, I, I) { return upper_half(x); });
  for (size_t i = 0; i < own.got.size(); ++i) own.got[i] = upper_half(own.exact[i]);

  EXPECT_EQ(single.words(), "truncated : every element truncated to bf16");
  EXPECT_EQ(own.match()->kind, ValueKind::truncated);
}

TEST(ValueMatch, Unwritten) {
  Tap nan, poison;
  nan.changed([](double x, I b, I s, I, I) { return b == 1 && s >= 4 ? kNaN : x; });
  poison.changed([](double x, I, I, I a, I) { return a == 0 ? -3.0e38 : x; });

  EXPECT_EQ(nan.words(), "unwritten S: 64 elements not written (NaN): sequence 1, tokens 4..5 (to the end)");
  EXPECT_EQ(poison.match()->kind, ValueKind::unwritten);
}

}  // namespace
}  // namespace parity::compare

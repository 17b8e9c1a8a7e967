// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Values of another call or of an input, and values that match no description.
#include <algorithm>

#include <gtest/gtest.h>

#include "compare/testing/tap_values.hpp"

namespace parity::compare {
namespace {

using tests::I;
using tests::Tap;

TEST(ValueMatch, StaleAndInput) {
  const auto other = [](const Tap& from, OtherTensor::Role role, const std::string& name) {
    Tensor tensor(DType::f64, from.shape, from.axes);
    std::copy(from.rounded.begin(), from.rounded.end(), tensor.f64());
    return OtherTensor{role, name, [tensor] { return tensor; }};
  };
  Tap stale, input;
  const Tap elsewhere(DType::bf16, 2);
  stale.others = {other(elsewhere, OtherTensor::Role::recorded, "layers/00/out")};
  input.others = {other(elsewhere, OtherTensor::Role::input, "x")};
  stale.got = elsewhere.rounded;
  input.changed([&](double x, I b, I s, I a, I d) { return s == 2 ? elsewhere.rounded[Tap::at(b, s, a, d)] : x; });

  EXPECT_EQ(stale.words(), "stale : equals layers/00/out");
  EXPECT_EQ(input.words(), "input S: token 2 equals input x");
}

TEST(ValueMatch, NoiseHasNoName) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Random random(seed, "noise");
    Tap tap(seed % 2 == 0 ? DType::bf16 : DType::f32, seed);
    for (size_t i = 0; i < tap.got.size(); ++i)
      tap.got[i] = round_to(tap.dtype, tap.exact[i] * (1.0 + 0.1 * random.normal(i)));

    EXPECT_EQ(tap.words(), "") << seed;
  }
}

TEST(ValueMatch, UnrelatedNumbersHaveNoName) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Tap tap(seed % 2 == 0 ? DType::bf16 : DType::f32, seed);
    const Tap other(tap.dtype, seed + 100);
    const bool slice = seed % 3 == 0;
    tap.changed([&](double x, I b, I s, I a, I d) { return slice && a != 1 ? x : other.rounded[Tap::at(b, s, a, d)]; });

    EXPECT_EQ(tap.words(), "") << seed;
  }
}

TEST(ValueMatch, AnotherCorrectRoundingHasNoName) {
  Tap tap;
  const Random random(3, "ties");
  for (size_t i = 0; i < tap.got.size(); ++i)
    tap.got[i] = round_to(tap.dtype, tap.exact[i] * (1.0 + 0x1p-9 * (random.uniform(i) - 0.5)));

  EXPECT_EQ(tap.words(), "");
}

TEST(ValueMatch, OneElementOfManyIsNoPattern) {
  Tap tap;
  tap.got[100] = tap.rounded[37];  // some element has nearly any value by chance

  const auto match = tap.match();

  EXPECT_FALSE(match && match->kind != ValueKind::permuted) << tap.words();
}

TEST(ValueMatch, RowsThatAreAlikeProveNothing) {
  Tap tap(DType::bf16);
  tap.changed([](double, I, I, I, I) { return 1.0; });
  tap.exact = tap.rounded = tap.got;
  for (double& allowed : tap.allowed) allowed = 0.01;
  tap.got[5] = 1.5;

  EXPECT_EQ(tap.words(), "");
}

}  // namespace
}  // namespace parity::compare

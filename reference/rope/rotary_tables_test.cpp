// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rotary tables by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TestCall tables(int64_t position, double theta, int64_t width) {
  TestCall call("rotary_tables");
  call.ids("positions", {1, 1}, {position}).param("theta", theta).param("rotary_width", width);
  call.out("cos", {1, 1, width}).out("sin", {1, 1, width});
  return call;
}

double single(double x) { return static_cast<double>(static_cast<float>(x)); }

TEST(RotaryTables, PositionZeroTurnsNothing) {
  const auto out = tables(0, 5e6, 4).exact();

  EXPECT_THAT(out["cos"], ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(out["sin"], ElementsAre(0, 0, 0, 0));
}

TEST(RotaryTables, HoldsTwoEqualHalvesOfFallingFrequencies) {
  // theta = 16, R = 4: frequencies 1 and 16^(-2/4) = 1/4; at position 2 the angles are 2 and 1/2.
  const auto out = tables(2, 16.0, 4).exact();

  EXPECT_THAT(out["cos"],
              ElementsAre(single(std::cos(2.0)), single(std::cos(0.5)), single(std::cos(2.0)), single(std::cos(0.5))));
  EXPECT_THAT(out["sin"],
              ElementsAre(single(std::sin(2.0)), single(std::sin(0.5)), single(std::sin(2.0)), single(std::sin(0.5))));
}

TEST(RotaryTables, PositionsBeyondTwoToThe24AreRoundedToBinary32) {
  EXPECT_EQ(tables((1 << 24) + 1, 16.0, 4).exact()["cos"], tables(1 << 24, 16.0, 4).exact()["cos"]);
  EXPECT_NE(tables((1 << 24) - 1, 16.0, 4).exact()["cos"], tables(1 << 24, 16.0, 4).exact()["cos"]);
}

TEST(RotaryTables, RoundsToTheWorkingTypeAtTheEnd) {
  const auto out = tables(1, 5e6, 2).oracle(DType::bf16);

  EXPECT_EQ(out["cos"][0], 138.0 / 256);  // cos 1 = 0.54030 = 138.3 / 256
  EXPECT_EQ(out["sin"][0], 215.0 / 256);  // sin 1 = 0.84147 = 215.4 / 256
}

TEST(RotaryTables, RoundsFrequencyAndAngleToBinary32EvenInExactWalks) {
  // Position 500000, R = 128, j = 1: the angle is near 4e5, where the spacing of binary32 is 1/32.
  const float exponent = 2.0F / 128.0F;
  const float power = static_cast<float>(std::pow(5e6, static_cast<double>(exponent)));
  const float inverse = 1.0F / power;
  const float angle = 500000.0F * inverse;
  const double expected = single(std::cos(static_cast<double>(angle)));

  EXPECT_EQ(tables(500000, 5e6, 128).exact()["cos"][1], expected);
  EXPECT_EQ(tables(500000, 5e6, 128).run("rounded", Rounding::exact(DType::f64))["cos"][1], expected);
  EXPECT_GT(std::abs(expected - std::cos(500000.0 / std::pow(5e6, 2.0 / 128.0))),
            1e-3);  // the roundings decide the value
}

TEST(RotaryTables, Binary64CaptureKeepsBinary32Tables) {
  EXPECT_EQ(tables(1, 5e6, 2).oracle(DType::f64)["sin"][0], single(std::sin(1.0)));
}

TEST(RotaryTables, EveryPositionHasItsRow) {
  TestCall call("rotary_tables");
  call.ids("positions", {2, 2}, {0, 1, 7, 1}).param("theta", 5e6).param("rotary_width", int64_t{2});
  call.out("cos", {2, 2, 2}).out("sin", {2, 2, 2});

  const auto sin = call.exact()["sin"];

  EXPECT_THAT(sin, ElementsAre(0, 0, single(std::sin(1.0)), single(std::sin(1.0)), single(std::sin(7.0)),
                               single(std::sin(7.0)), single(std::sin(1.0)), single(std::sin(1.0))));
}

TEST(RotaryTables, UncastHoldsCosinesThenSinesInBinary32) {
  TestCall call("rotary_tables");
  call.ids("positions", {1, 1}, {1}).param("rotary_width", int64_t{2}).param("theta", 1.0);
  call.out("cos", {1, 1, 2}).out("sin", {1, 1, 2}).out("uncast", {1, 1, 2});

  const auto out = call.oracle(DType::bf16);

  EXPECT_EQ(out["uncast"], (std::vector<double>{static_cast<float>(std::cos(1.0)), static_cast<float>(std::sin(1.0))}));
  EXPECT_NE(out["cos"][0], out["uncast"][0]);
}

}  // namespace
}  // namespace parity::reference

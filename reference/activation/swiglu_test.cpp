// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// SwiGLU-OAI by hand. With alpha = 0 the sigmoid is 1/2 and the formula (u + 1) g / 2.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TestCall swiglu(const std::vector<double>& gate_up, double alpha) {
  const auto width = static_cast<int64_t>(gate_up.size());
  TestCall call("swiglu");
  call.in("gate_up", {1, width}, gate_up).param("alpha", alpha).out("out", {1, width / 2});
  return call;
}

TEST(Swiglu, ReadsTheGatesFirstAndThenTheLinearHalf) {
  // Gates are 2 and 4, linear halves 3 and 5. An interleaved layout would pair 2 with 4.
  EXPECT_THAT(swiglu({2, 4, 3, 5}, 0.0).exact()["out"], ElementsAre(4, 12));
}

TEST(Swiglu, AddsOneToTheLinearHalf) { EXPECT_THAT(swiglu({2, 2, 0, -1}, 0.0).exact()["out"], ElementsAre(1, 0)); }

TEST(Swiglu, ClampsTheGateFromAboveOnly) {
  EXPECT_THAT(swiglu({10, 7, -10, 0, 0, 0}, 0.0).exact()["out"], ElementsAre(3.5, 3.5, -5));
}

TEST(Swiglu, ClampsTheLinearHalfOnBothSidesBeforeAddingOne) {
  EXPECT_THAT(swiglu({2, 2, 2, 9, 7, -9}, 0.0).exact()["out"], ElementsAre(8, 8, -6));
}

TEST(Swiglu, TheLimitIsAParameter) {
  TestCall call = swiglu({10, -5, 10, -5}, 0.0);
  call.param("limit", 3.0);

  EXPECT_THAT(call.exact()["out"], ElementsAre(4 * 1.5, -2 * -2.5));
}

TEST(Swiglu, GatesBySigmoidOfAlphaTimesTheClampedGate) {
  // alpha = ln 3: sigmoid(ln 3) = 3/4 at gate 1, sigmoid(-ln 3) = 1/4 at gate -1.
  EXPECT_THAT(swiglu({1, -1, 1, 0}, std::log(3.0)).exact()["out"], ElementsAre(DoubleEq(1.5), DoubleEq(-0.25)));
  EXPECT_EQ(swiglu({100, 0}, 1.702).exact()["out"], swiglu({7, 0}, 1.702).exact()["out"]);
}

TEST(Swiglu, DefaultsAreThoseOfTheModel) {
  TestCall call("swiglu");
  call.in("gate_up", {1, 2}, {8, 9}).out("out", {1, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(DoubleEq(8 * 7 / (1 + std::exp(-7 * 1.702)))));
}

TEST(Swiglu, AlphaIsABinary32ConstantNotOneOfTheWorkingType) {
  // Gate -3: -3 * 1.702 -> -5.09375, sigmoid -> 200 * 2^-15, times -3 = -75 * 2^-12.
  // With alpha in bf16, 1.703125, it would be -5.125 and -73 * 2^-12.
  EXPECT_THAT(swiglu({-3, 0}, 1.702).oracle(DType::bf16)["out"], ElementsAre(-75 * 0x1p-12));
}

/// In torch, clamp(max=1.3) of a bf16 tensor gives 1.296875.
TEST(Swiglu, ClampsToTheLimitAsTheWorkingTypeHasIt) {
  TestCall call = swiglu({2, -9}, 0.0);
  call.param("limit", 1.3);

  EXPECT_THAT(call.exact()["out"], ElementsAre(DoubleEq(-0.3 * 0.65)));
  // (1 - 83/64) (83/128) = -19/64 83/128, rounded to 197/1024. Clamped to 1.3: -154/512 83/128, 200/1024.
  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(-197.0 / 1024));
  const auto bounded = call.bounded(DType::bf16);
  const double bound = bounded.rounding.at("out").f64()[0] + bounded.noise.at("out").f64()[0];
  EXPECT_GE(bound, 0.195 - 197.0 / 1024);
}

TEST(Swiglu, RoundsTheShiftedLinearHalf) {
  const TestCall call = swiglu({2, 0x1p-9}, 0.0);  // 1 + 2^-9 is 1 in bf16

  EXPECT_THAT(call.exact()["out"], ElementsAre(1 + 0x1p-9));
  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(1));
}

TEST(Swiglu, RoundsTheLastProduct) {
  // u + 1 = 129/128, g / 2 = 129/128: 1 + 2/128 + 2^-14.
  const TestCall call = swiglu({129.0 / 64, 1.0 / 128}, 0.0);

  EXPECT_THAT(call.exact()["out"], ElementsAre(1 + 0x1p-6 + 0x1p-14));
  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(1 + 0x1p-6));
}

TEST(Swiglu, EveryIntermediateRoundsInTurn) {
  // Every operation in f32, by hand in float; the exact result differs.
  const float gate = 1.1F;
  const float up = 0.7F;
  const float scaled = gate * 1.702F;
  const auto sigmoid = static_cast<float>(1.0 / (1.0 + std::exp(-static_cast<double>(scaled))));
  const float gated = gate * sigmoid;
  const float expected = (up + 1.0F) * gated;

  const TestCall call = swiglu({static_cast<double>(gate), static_cast<double>(up)}, 1.702);

  EXPECT_EQ(call.oracle(DType::f32)["out"][0], static_cast<double>(expected));
  EXPECT_NE(call.exact()["out"][0], static_cast<double>(expected));
}

TEST(Swiglu, NaNPassesTheClamps) {
  EXPECT_TRUE(std::isnan(swiglu({std::nan(""), 0}, 1.702).exact()["out"][0]));
  EXPECT_TRUE(std::isnan(swiglu({1, std::nan("")}, 1.702).exact()["out"][0]));
}

TEST(Swiglu, MinusInfinityGivesNaNForLackOfALowerClamp) {
  EXPECT_TRUE(std::isnan(swiglu({-std::numeric_limits<double>::infinity(), 0}, 1.702).exact()["out"][0]));
}

TEST(Swiglu, BoundCoversVeryNegativeGates) {  // was without error: 1 - logistic(51) is 0 in binary64
  const TestCall call = swiglu({-30.125, 0}, 1.702);
  const double error = std::abs(call.oracle(DType::bf16)["out"][0] - call.exact()["out"][0]);
  const auto bounded = call.bounded(DType::bf16);

  EXPECT_GT(error, 0.0);
  EXPECT_LE(error, bounded.rounding.at("out").f64()[0] + bounded.noise.at("out").f64()[0]);
}

}  // namespace
}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Decay tables by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

TestCall tables(int64_t heads, int64_t size, int64_t layer, int64_t layers) {
  TestCall call("lightning_tables");
  call.param("layer", layer).param("layers", layers);
  call.out("slope_rate", {heads, 1, 1})
      .out("query_decay", {heads, size, 1})
      .out("key_decay", {heads, size, 1})
      .out("diagonal_decay", {1, heads, size, size});
  return call;
}

std::vector<double> first(size_t count, std::vector<double> values) {
  values.resize(count);
  return values;
}

TEST(LightningTables, SlopesHalveTwicePerHeadOfFour) {
  // Base 2^(-8/4) = 1/4; the first layer's factor is 1 + 1e-5.
  EXPECT_THAT(tables(4, 1, 0, 3).exact()["slope_rate"], ElementsAre(DoubleEq(1.00001 / 4), DoubleEq(1.00001 / 16),
                                                                    DoubleEq(1.00001 / 64), DoubleEq(1.00001 / 256)));
}

TEST(LightningTables, DeeperLayersForgetLess) {
  const double factor = 1.0 - 1.0 / (2.0 + 1e-5) + 1e-5;

  EXPECT_THAT(tables(8, 1, 1, 3).exact()["slope_rate"][0], DoubleEq(0.5 * factor));
  // The original code divides by L - 1; the last layer's slope is then exactly 1e-5 of the first layer's.
  EXPECT_THAT(tables(8, 1, 2, 3).param("depth_epsilon", 0.0).exact()["slope_rate"][0], DoubleNear(0.5e-5, 1e-17));
}

TEST(LightningTables, OneLayerDividesByTheEpsilonAlone) {
  EXPECT_THAT(tables(8, 1, 0, 1).exact()["slope_rate"][0], DoubleEq(0.5 * 1.00001));
}

TEST(LightningTables, DecaysCountFromOne) {
  const TestOutputs out = tables(8, 3, 0, 2).exact();
  const double r = std::exp(-0.5 * 1.00001);

  EXPECT_THAT(first(3, out["query_decay"]), ElementsAre(DoubleEq(r), DoubleEq(r * r), DoubleEq(r * r * r)));
  EXPECT_THAT(first(3, out["key_decay"]), ElementsAre(DoubleEq(r * r), DoubleEq(r), 1.0));
}

TEST(LightningTables, DiagonalBelongsToTheTokenItself) {
  EXPECT_THAT(first(4, tables(8, 2, 0, 2).exact()["diagonal_decay"]),
              ElementsAre(1.0, 0.0, DoubleEq(std::exp(-0.5 * 1.00001)), 1.0));
}

TEST(LightningTables, ABuildInBf16RoundsEveryStep) {
  // Three heads: the base 2^(-8/3) = 0.157490 is 0.157227 in bf16; its cube 0.0038866 rounds to 255 / 65536. Tables
  // from a binary32 build are rounded once, to 0.0039062 = 256 / 65536.
  const TestCall call = tables(3, 1, 0, 2);

  EXPECT_EQ(call.oracle(DType::bf16)["slope_rate"][2], 255.0 / 65536);
  EXPECT_EQ(round_to(DType::bf16, call.oracle(DType::f32)["slope_rate"][2]), 256.0 / 65536);
}

TEST(LightningTables, StoredOnesAreTakenAsTheyAre) {
  TestCall call = tables(1, 1, 0, 2);
  call.in("stored_slope_rate", {1, 1, 1}, {3})
      .in("stored_query_decay", {1, 1, 1}, {5})
      .in("stored_key_decay", {1, 1, 1}, {7})
      .in("stored_diagonal_decay", {1, 1, 1, 1}, {9});

  const TestOutputs out = call.oracle(DType::bf16);

  EXPECT_EQ(out.only("slope_rate"), 3.0);
  EXPECT_EQ(out.only("query_decay"), 5.0);
  EXPECT_EQ(out.only("key_decay"), 7.0);
  EXPECT_EQ(out.only("diagonal_decay"), 9.0);
}

TEST(LightningTables, OriginalInterpolatesOtherHeadCounts) {
  // Three heads: the slopes of two heads, 2^-4 and 2^-8, then the first of four, 2^-2. The package: 2^(-8/3 (a + 1)).
  const auto slopes = tables(3, 1, 0, 2).param("interpolated", true).exact()["slope_rate"];

  EXPECT_THAT(slopes, ElementsAre(DoubleEq(1.00001 / 16), DoubleEq(1.00001 / 256), DoubleEq(1.00001 / 4)));
  EXPECT_EQ(tables(4, 1, 0, 2).param("interpolated", true).exact()["slope_rate"],
            tables(4, 1, 0, 2).exact()["slope_rate"]);
}

TEST(LightningTables, LastLayerHardlyForgets) {
  // 1 - (L - 1) / (L - 1 + 1e-5) + 1e-5 for 80 layers: 1e-5 (1 + 1/79).
  EXPECT_THAT(tables(8, 1, 79, 80).exact()["slope_rate"][0], DoubleNear(0.5e-5 * (1 + 1.0 / 79), 1e-11));
}

TEST(LightningTables, FirstHeadOfSixtyFourUnderflowsWithinItsBound) {
  // exp(-0.917 * 256) is 1e-102: it underflows to 0 in binary32 and bf16, but not in exact arithmetic.
  const TestCall call = tables(64, 256, 0, 80);
  const TestOutputs bounded = call.bounded(DType::bf16);

  EXPECT_THAT(bounded["query_decay"][255], DoubleNear(0.0, 1e-101));
  EXPECT_GT(bounded["query_decay"][255], 0.0);
  EXPECT_EQ(call.oracle(DType::bf16)["query_decay"][255], 0.0);
  EXPECT_GT(bounded.rounding.at("query_decay").f64()[255], bounded["query_decay"][255]);
}

}  // namespace
}  // namespace parity::reference

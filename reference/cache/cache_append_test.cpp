// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Cache append by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(CacheAppend, PutsFreshTokensBehindThePast) {
  TestCall call("cache_append");
  call.in("past", {1, 1, 2, 2}, {1, 2, 3, 4}).in("fresh", {1, 1, 1, 2}, {5, 6}).out("out", {1, 1, 3, 2});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(CacheAppend, KeepsBatchesAndHeadsApart) {
  TestCall call("cache_append");
  call.in("past", {2, 2, 1, 1}, {1, 2, 3, 4})
      .in("fresh", {2, 2, 2, 1}, {10, 11, 20, 21, 30, 31, 40, 41})
      .out("out", {2, 2, 3, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 10, 11, 2, 20, 21, 3, 30, 31, 4, 40, 41));
}

TEST(CacheAppend, TheFirstCallHasNoPast) {
  TestCall call("cache_append");
  call.in("fresh", {1, 2, 2, 1}, {1, 2, 3, 4}).out("out", {1, 2, 2, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 2, 3, 4));
}

TEST(CacheAppend, CopiesBitForBit) {
  TestCall call("cache_append");
  call.in("past", {1, 1, 1, 1}, {1.0 / 3}).in("fresh", {1, 1, 1, 1}, {-0.0}).out("out", {1, 1, 2, 1});

  const auto out = call.oracle(DType::bf16)["out"];

  EXPECT_EQ(out[0], 1.0 / 3);
  EXPECT_TRUE(std::signbit(out[1]));
  EXPECT_EQ(call.bounded().rounding.at("out").f64()[0], 0.0);
}

}  // namespace
}  // namespace parity::reference

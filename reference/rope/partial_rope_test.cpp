// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rotary position embedding by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(PartialRope, PairsTheTwoHalves) {
  // R = 4 of D = 5. The pair (0, 2) makes a quarter turn, (1, 3) none. Interleaved pairs would be (0, 1) and (2, 3).
  TestCall call("partial_rope");
  call.in("x", {1, 1, 1, 5}, {1, 2, 3, 4, 5}).in("cos", {1, 1, 4}, {0, 1, 0, 1}).in("sin", {1, 1, 4}, {1, 0, 1, 0});
  call.out("out", {1, 1, 1, 5});

  EXPECT_THAT(call.exact()["out"], ElementsAre(-3, 2, 1, 4, 5));
}

TEST(PartialRope, TurnsByTheAngle) {
  // cos 0.6, sin 0.8: (1, 2) -> (0.6 - 1.6, 1.2 + 0.8).
  TestCall call("partial_rope");
  call.in("x", {1, 1, 1, 2}, {1, 2})
      .in("cos", {1, 1, 2}, {0.6, 0.6})
      .in("sin", {1, 1, 2}, {0.8, 0.8})
      .out("out", {1, 1, 1, 2});

  EXPECT_THAT(call.exact()["out"], ElementsAre(0.6 - 2 * 0.8, 2 * 0.6 + 0.8));
}

TEST(PartialRope, ChannelsBeyondTheWidthKeepTheirBits) {
  TestCall call("partial_rope");
  call.in("x", {1, 1, 1, 3}, {0, 0, 1.0 / 3})
      .in("cos", {1, 1, 2}, {0.5, 0.5})
      .in("sin", {1, 1, 2}, {0.5, 0.5})
      .out("out", {1, 1, 1, 3});

  EXPECT_EQ(call.oracle(DType::bf16)["out"][2], 1.0 / 3);  // not rounded at all, not even to T
  EXPECT_EQ(call.bounded().rounding.at("out").f64()[2], 0.0);
}

TEST(PartialRope, RoundsBothProductsBeforeTheirSum) {
  // (131/128)^2 - 1 = 0.0474243. The product 1 + 6/128 + 9 * 2^-14 is rounded to 1 + 6/128, so 0.046875 remains; a
  // single rounding at the end would give 0.0473633.
  TestCall call("partial_rope");
  call.in("x", {1, 1, 1, 2}, {131.0 / 128, 1})
      .in("cos", {1, 1, 2}, {131.0 / 128, 1})
      .in("sin", {1, 1, 2}, {1, 0})
      .out("out", {1, 1, 1, 2});

  EXPECT_EQ(call.exact()["out"][0], 0.0474243164062500);
  EXPECT_EQ(call.oracle(DType::bf16)["out"][0], 0.046875);
}

TEST(PartialRope, RoundsTheSum) {
  // 256 * 1 - (-1) * 1 = 257, a tie.
  TestCall call("partial_rope");
  call.in("x", {1, 1, 1, 2}, {256, -1})
      .in("cos", {1, 1, 2}, {1, 1})
      .in("sin", {1, 1, 2}, {1, 1})
      .out("out", {1, 1, 1, 2});

  EXPECT_THAT(call.exact()["out"], ElementsAre(257, 255));
  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(256, 255));
}

TEST(PartialRope, HeadsShareTheTablesAndBatchesAndPositionsDoNot) {
  TestCall call("partial_rope");
  call.in("x", {2, 2, 2, 2}, {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0});  // [b,a,s] = 1 … 8 in channel 0
  call.in("cos", {2, 2, 2}, {1, 1, 10, 10, 100, 100, 1000, 1000});               // [b,s]
  call.in("sin", {2, 2, 2}, {0, 0, 0, 0, 0, 0, 0, 0}).out("out", {2, 2, 2, 2});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 0, 20, 0, 3, 0, 40, 0, 500, 0, 6000, 0, 700, 0, 8000, 0));
}

}  // namespace
}  // namespace parity::reference

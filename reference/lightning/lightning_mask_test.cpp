// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Padding by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(LightningMask, ZeroesThePaddingOfEveryHead) {
  TestCall call("lightning_mask");
  call.in("v", {2, 2, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8}).ids("mask", {2, 2}, {1, 0, 0, 1}).out("out", {2, 2, 2, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 0, 3, 0, 0, 6, 0, 8));
}

TEST(LightningMask, ReadsTheLastColumnsOfTheMask) {
  TestCall call("lightning_mask");
  call.in("v", {1, 1, 2, 1}, {1, 2}).ids("mask", {1, 4}, {0, 0, 1, 0}).out("out", {1, 1, 2, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 0));
}

TEST(LightningMask, AProductWithTheMaskKeepsTheSignOfAZero) {
  TestCall call("lightning_mask");
  call.in("v", {1, 1, 2, 1}, {-1, -2}).ids("mask", {1, 2}, {1, 0}).out("out", {1, 1, 2, 1});

  EXPECT_FALSE(std::signbit(call.exact()["out"][1]));
  EXPECT_TRUE(std::signbit(call.param("multiplies", true).exact()["out"][1]));
}

}  // namespace
}  // namespace parity::reference

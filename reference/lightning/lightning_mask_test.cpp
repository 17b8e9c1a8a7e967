// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Padding of values by hand.
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

}  // namespace
}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Update of the correction bias by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(RouterBiasUpdate, MovesTowardsTheMeanByASignOnly) {
  TestCall call("router_bias_update");
  call.in("bias", {3}, {1, 2, 3}).ids("load", {3}, {0, 10, 5}).param("rate", 0.5);
  call.out("before", {3}).out("after", {3});

  EXPECT_THAT(call.exact()["before"], ElementsAre(1, 2, 3));
  EXPECT_THAT(call.exact()["after"], ElementsAre(1.5, 1.5, 3));
}

}  // namespace
}  // namespace parity::reference

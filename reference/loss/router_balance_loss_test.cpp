// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Balance loss by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

TestCall balance() {
  TestCall call("router_balance_loss");
  call.in("scores", {2, 2}, {0.75, 0.25, 0.5, 0.5}).ids("load", {2}, {3, 1}).param("top_k", int64_t{2});
  call.out("loss", {});
  return call;
}

TEST(RouterBalanceLoss, WeighsMeanSharesWithTheLoad) {
  EXPECT_DOUBLE_EQ(balance().exact().only("loss"), 3 * 2 / 4.0 * 0.625 + 1 * 2 / 4.0 * 0.375);
}

TEST(RouterBalanceLoss, PaddingTakesNoPart) {
  EXPECT_DOUBLE_EQ(balance().ids("token_mask", {2}, {0, 1}).exact().only("loss"), (3 * 2 / 2.0 + 1 * 2 / 2.0) * 0.5);
}

}  // namespace
}  // namespace parity::reference

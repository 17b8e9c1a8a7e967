// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Gathered ids by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(GatherIds, PutsTheSharesOneBelowTheOther) {
  TestCall call("gather_ids");
  call.ids("parts", {1, 2}, {5, 6}).ids("parts", {2, 2}, {7, 8, 9, 0}).out("out", {3, 2});

  EXPECT_THAT(call.exact().ids("out"), ElementsAre(5, 6, 7, 8, 9, 0));
}

}  // namespace
}  // namespace parity::reference

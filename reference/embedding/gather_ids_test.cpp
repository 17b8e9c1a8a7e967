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
  call.ids("parts", {1, 1, 2}, {5, 6}).ids("parts", {1, 2, 2}, {7, 8, 9, 0}).out("out", {1, 3, 2});

  EXPECT_THAT(call.exact().ids("out"), ElementsAre(5, 6, 7, 8, 9, 0));
}

TEST(GatherIds, JoinsTheRowsOfEverySequence) {
  TestCall call("gather_ids");
  call.ids("parts", {2, 1, 1}, {1, 2}).ids("parts", {2, 2, 1}, {3, 4, 5, 6}).out("out", {2, 3, 1});

  EXPECT_THAT(call.exact().ids("out"), ElementsAre(1, 3, 4, 2, 5, 6));
}

TEST(GatherIds, TakesTheRowsFromItsFirstSlotOn) {
  TestCall call("gather_ids");
  call.ids("parts", {2, 3, 1}, {1, 2, 3, 4, 5, 6}).param("first_slot", int64_t{1}).out("out", {2, 2, 1});

  EXPECT_THAT(call.exact().ids("out"), ElementsAre(2, 3, 5, 6));
}

}  // namespace
}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Slots by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(SlotPositions, CountFromZeroInEverySequence) {
  TestCall call("slot_positions");
  call.ids("ids", {2, 3}, {9, 9, 9, 9, 9, 9}).out("out", {2, 3});

  EXPECT_THAT(call.exact().ids("out"), ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST(SlotPositions, OfAShareAreGiven) {
  TestCall call("slot_positions");
  call.ids("ids", {2, 2}, {9, 9, 9, 9}).ids("slots", {2}, {0, 7}).out("out", {2, 2});

  EXPECT_THAT(call.exact().ids("out"), ElementsAre(0, 7, 0, 7));
}

}  // namespace
}  // namespace parity::reference

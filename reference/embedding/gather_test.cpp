// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Shares put together by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

/// A gather of two shares, each with two rows of one channel, into `rows` rows.
TestCall shares(int64_t rows) {
  TestCall call("gather");
  call.in("parts", {1, 1, 2, 1}, {1, 2}).in("parts", {1, 1, 2, 1}, {3, 4}).out("out", {1, 1, rows, 1});
  return call;
}

TEST(Gather, RowsFollowOneAnother) { EXPECT_THAT(shares(4).exact()["out"], ElementsAre(1, 2, 3, 4)); }

TEST(Gather, RowsStandInTheirSlots) {
  TestCall call = shares(4);
  call.ids("slots", {2}, {0, 3}).ids("slots", {2}, {2, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 4, 3, 2));
}

TEST(Gather, TakesTheRowsFromItsFirstSlotOn) {
  EXPECT_THAT(shares(2).param("first_slot", int64_t{1}).exact()["out"], ElementsAre(2, 3));
}

TEST(Gather, RowsOfNoSlotAreZero) {
  TestCall call = shares(3);
  call.ids("slots", {2}, {0, 7}).ids("slots", {2}, {2, 8});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 0, 3));
}

}  // namespace
}  // namespace parity::reference

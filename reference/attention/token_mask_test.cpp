// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Token mask by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(TokenMask, IsTheAttentionMaskRowAfterRow) {
  TestCall call("token_mask");
  call.ids("mask", {2, 3}, {0, 1, 1, 1, 1, 0}).out("out", {6});

  EXPECT_THAT(call.exact().ids("out"), ElementsAre(0, 1, 1, 1, 1, 0));
}

TEST(TokenMask, MayMarkThePaddingInstead) {
  TestCall call("token_mask");
  call.ids("mask", {1, 3}, {0, 1, 0}).param("padding", true).out("out", {3});

  EXPECT_THAT(call.exact().ids("out"), ElementsAre(1, 0, 1));
}

TEST(TokenMask, OfAShareIsReadAtItsSlots) {
  TestCall call("token_mask");
  call.ids("mask", {2, 3}, {1, 0, 0, 1, 1, 0}).ids("positions", {2, 2}, {0, 2, 2, 1}).out("out", {4});

  EXPECT_THAT(call.exact().ids("out"), ElementsAre(1, 0, 0, 1));
}

TEST(TokenMask, WithoutMaskAllTokensAreReal) {
  EXPECT_THAT(TestCall("token_mask").out("out", {2}).exact().ids("out"), ElementsAre(1, 1));
}

}  // namespace
}  // namespace parity::reference

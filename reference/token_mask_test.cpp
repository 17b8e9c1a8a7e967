// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Token mask by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;

TEST(TokenMask, IsTheAttentionMaskRowAfterRow) {
  TestCall call("token_mask");
  call.ids("mask", {2, 3}, {0, 1, 1, 1, 1, 0}).out("out", {6});

  EXPECT_THAT(call.exact().ids("out"), ElementsAre(0, 1, 1, 1, 1, 0));
}

}  // namespace
}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Placeholder mask by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(TokenEquals, FlagsEveryPlaceholder) {
  TestCall call("token_equals");
  call.ids("ids", {2, 2}, {5, 6, 6, 4}).param("token", int64_t{6}).out("out", {2, 2});

  EXPECT_THAT(call.exact().ids("out"), ElementsAre(0, 1, 1, 0));
}

}  // namespace
}  // namespace parity::reference

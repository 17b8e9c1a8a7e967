// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Added loads by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(LoadSum, AddsExpertByExpert) {
  TestCall call("load_sum");
  call.ids("loads", {3}, {1, 2, 3}).ids("loads", {3}, {10, 0, 5}).out("out", {3});

  EXPECT_THAT(call.exact().ids("out"), ElementsAre(11, 2, 8));
}

}  // namespace
}  // namespace parity::reference

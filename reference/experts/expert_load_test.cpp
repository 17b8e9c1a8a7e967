// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Expert load by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TestCall load() {
  TestCall call("expert_load");
  call.ids("indices", {3, 2}, {0, 2, 2, 1, 2, 7}).out("load", {4});
  return call;
}

TEST(ExpertLoad, CountsTokensPerExpertAndForgetsStrangers) {
  EXPECT_THAT(load().exact().ids("load"), ElementsAre(1, 1, 3, 0));
}

TEST(ExpertLoad, PaddingDoesNotCount) {
  EXPECT_THAT(load().ids("token_mask", {3}, {1, 0, 1}).exact().ids("load"), ElementsAre(1, 0, 2, 0));
}

}  // namespace
}  // namespace parity::reference

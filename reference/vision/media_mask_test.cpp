// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Mask of the vision tower by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(MediaMask, IsOneBlockPerMedium) {
  TestCall call("media_mask");
  call.ids("grid", {2, 3}, {1, 1, 2, 1, 1, 1}).out("out", {1, 1, 3, 3});

  EXPECT_THAT(call.exact().ids("out"), ElementsAre(1, 1, 0, 1, 1, 0, 0, 0, 1));
}

}  // namespace
}  // namespace parity::reference

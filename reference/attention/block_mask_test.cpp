// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Block mask by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(BlockMask, FlagsTheListedBlocksOnly) {
  TestCall call("block_mask");
  call.ids("blocks", {1, 2, 3}, {2, 0, -1, 1, 1, 9}).out("out", {1, 2, 4});

  EXPECT_THAT(call.exact().ids("out"), ElementsAre(1, 0, 1, 0, 0, 1, 0, 0));
}

}  // namespace
}  // namespace parity::reference

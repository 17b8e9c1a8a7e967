// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Shifted ids by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(ShiftLeft, MovesEveryRowAndFillsItsEnd) {
  TestCall call("shift_left");
  call.ids("ids", {2, 3}, {1, 2, 3, 4, 5, 6}).param("fill", int64_t{9}).out("out", {2, 3});

  EXPECT_THAT(call.exact().ids("out"), ElementsAre(2, 3, 9, 5, 6, 9));
}

}  // namespace
}  // namespace parity::reference

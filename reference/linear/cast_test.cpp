// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Cast by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(Cast, RoundsToTheWorkingTypeOnly) {
  TestCall call("cast");
  call.in("x", {1, 2}, {257, 1.5}).out("out", {1, 2});

  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(256, 1.5));
  EXPECT_THAT(call.oracle(DType::f32)["out"], ElementsAre(257, 1.5));
  EXPECT_THAT(call.exact()["out"], ElementsAre(257, 1.5));
}

}  // namespace
}  // namespace parity::reference

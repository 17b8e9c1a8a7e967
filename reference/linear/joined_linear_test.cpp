// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Linear layer of two inputs by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(JoinedLinear, TheFirstInputMeetsTheFirstColumns) {
  TestCall call("joined_linear");
  call.in("first", {1, 1}, {2}).in("second", {1, 1}, {3}).in("weight", {2, 2}, {10, 100, 1, 0}).out("out", {1, 2});

  EXPECT_THAT(call.exact()["out"], ElementsAre(320, 2));
}

TEST(JoinedLinear, RoundsTheWholeSumOnce) {
  TestCall call("joined_linear");  // in bf16, 256 + 1 would stay 256, and so would another 1
  call.in("first", {1, 2}, {256, 1}).in("second", {1, 2}, {1, 0}).in("weight", {1, 4}, {1, 1, 1, 1}).out("out", {1, 1});

  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(258));
}

}  // namespace
}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Sums over processes by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(ProcessSum, AddsInBinary32) {
  TestCall call("process_sum");
  call.in("parts", {1, 2}, {256, 1}).in("parts", {1, 2}, {1, -1}).out("out", {1, 2});

  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(257, 0));  // 256 + 1 would stay 256 in bf16
}

}  // namespace
}  // namespace parity::reference

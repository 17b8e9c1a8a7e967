// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The loss of real-valued labels by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

TestCall squared_loss(const std::vector<double>& logits, const std::vector<double>& labels, int64_t columns = 1) {
  const auto rows = static_cast<int64_t>(logits.size()) / columns;
  TestCall call("squared_error");
  call.in("logits", {rows, columns}, logits).in("labels", {rows, columns}, labels).out("loss", {});
  return call;
}

TEST(SquaredError, IsTheMeanOverSequences) {
  EXPECT_DOUBLE_EQ(squared_loss({3}, {1}).exact().only("loss"), 4);
  EXPECT_DOUBLE_EQ(squared_loss({3, 1, 0}, {1, 1, -1}).exact().only("loss"), 5.0 / 3);
}

TEST(SquaredError, IsTheMeanOverSeveralNumbersToo) {
  EXPECT_DOUBLE_EQ(squared_loss({1, 2, 3, 4}, {0, 0, 0, 0}, 2).exact().only("loss"), 7.5);
}

TEST(SquaredError, RoundsDifferenceSquareAndMeanButNotTheSum) {
  const auto to = [](double x) { return round_to(DType::bf16, x); };
  const double difference = to(1.0 + 1.0 / 256);  // 257/256 is no bf16
  EXPECT_EQ(squared_loss({1.0}, {-1.0 / 256}).oracle(DType::bf16).only("loss"), to(difference * difference));

  // Squares 81, 121 and 121: the sum 323 is no bf16 number (324 is). A third rounds to 107.5; that of 324 is 108.
  EXPECT_EQ(squared_loss({9, 11, 11}, {0, 0, 0}).oracle(DType::bf16).only("loss"), 107.5);
}

}  // namespace
}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The loss of spans by hand: two positions, logits 0 and ln 3, so the softmax over positions is 1/4 and 3/4.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

const double kLogitOfSpan = std::log(3.0);
const double kRare = std::log(4.0);       // -ln 1/4
const double kOften = std::log(4.0 / 3);  // -ln 3/4

/// A call in which every sequence has start logits (0, ln 3) and end logits (ln 3, 0).
TestCall loss_of_spans(const std::vector<int64_t>& start, const std::vector<int64_t>& end) {
  const auto batch = static_cast<int64_t>(start.size());
  std::vector<double> logits;
  for (int64_t b = 0; b < batch; ++b) logits.insert(logits.end(), {0, kLogitOfSpan, kLogitOfSpan, 0});
  TestCall call("span_loss");
  call.in("logits", {batch, 2, 2}, logits).ids("start", {batch}, start).ids("end", {batch}, end).out("loss", {});
  return call;
}

TEST(SpanLoss, IsTheMeanOfStartAndEnd) {
  EXPECT_DOUBLE_EQ(loss_of_spans({1}, {0}).exact().only("loss"), kOften);
  EXPECT_DOUBLE_EQ(loss_of_spans({1}, {1}).exact().only("loss"), (kOften + kRare) / 2);
  EXPECT_DOUBLE_EQ(loss_of_spans({0}, {0}).exact().only("loss"), (kRare + kOften) / 2);
}

TEST(SpanLoss, TargetsBehindTheSequenceDoNotCount) {
  EXPECT_DOUBLE_EQ(loss_of_spans({1, 2}, {0, 0}).exact().only("loss"), kOften);  // not halved
  EXPECT_DOUBLE_EQ(loss_of_spans({1, 99}, {0, 1}).exact().only("loss"), (kOften + (kOften + kRare) / 2) / 2);
}

TEST(SpanLoss, NegativeTargetsAreTheFirstPlace) {
  EXPECT_DOUBLE_EQ(loss_of_spans({-7}, {-1}).exact().only("loss"), (kRare + kOften) / 2);
}

TEST(SpanLoss, NothingCountedIsNaN) { EXPECT_TRUE(std::isnan(loss_of_spans({2}, {0}).exact().only("loss"))); }

TEST(SpanLoss, ItemsTakeThePlaceOfTheCount) {
  TestCall call = loss_of_spans({1, 2}, {0, 0});
  call.param("num_items", 4.0);

  EXPECT_DOUBLE_EQ(call.exact().only("loss"), (kOften / 4 + 2 * kOften / 4) / 2);
}

TEST(SpanLoss, RoundsToTheTypeOfTheLogits) {
  const double rounded = loss_of_spans({1}, {1}).oracle(DType::bf16).only("loss");
  const double often = round_to(DType::bf16, kOften);
  const double rare = round_to(DType::bf16, kRare);

  EXPECT_EQ(rounded, round_to(DType::bf16, round_to(DType::bf16, often + rare) / 2));
}

}  // namespace
}  // namespace parity::reference

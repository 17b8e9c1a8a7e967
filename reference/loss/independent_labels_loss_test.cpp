// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The loss of independent labels by hand: logit ln 3 is a probability of 3/4.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

const double kLogOf3 = std::log(3.0);
const double kMinusLogOfQuarter = std::log(4.0);        // -ln 1/4
const double kMinusLogOf3Quarters = std::log(4.0 / 3);  // -ln 3/4

TestCall labels_loss(const std::vector<double>& logits, const std::vector<double>& labels, int64_t columns = 1) {
  const auto rows = static_cast<int64_t>(logits.size()) / columns;
  TestCall call("independent_labels_loss");
  call.in("logits", {rows, columns}, logits).in("labels", {rows, columns}, labels).out("loss", {});
  return call;
}

TEST(IndependentLabelsLoss, IsTheCrossEntropyOfEveryLabel) {
  EXPECT_DOUBLE_EQ(labels_loss({kLogOf3}, {1}).exact().only("loss"), kMinusLogOf3Quarters);
  EXPECT_DOUBLE_EQ(labels_loss({kLogOf3}, {0}).exact().only("loss"), kMinusLogOfQuarter);
  EXPECT_DOUBLE_EQ(labels_loss({-kLogOf3}, {1}).exact().only("loss"), kMinusLogOfQuarter);
  EXPECT_DOUBLE_EQ(labels_loss({-kLogOf3}, {0}).exact().only("loss"), kMinusLogOf3Quarters);
}

TEST(IndependentLabelsLoss, LabelsMayBeShares) {
  EXPECT_DOUBLE_EQ(labels_loss({kLogOf3}, {0.25}).exact().only("loss"),
                   0.25 * kMinusLogOf3Quarters + 0.75 * kMinusLogOfQuarter);
}

TEST(IndependentLabelsLoss, IsTheMeanOverSequencesAndLabels) {
  EXPECT_DOUBLE_EQ(labels_loss({kLogOf3, kLogOf3, -kLogOf3, kLogOf3}, {1, 0, 0, 1}, 2).exact().only("loss"),
                   (3 * kMinusLogOf3Quarters + kMinusLogOfQuarter) / 4);
}

TEST(IndependentLabelsLoss, HugeLogitsDoNotOverflow) {
  EXPECT_EQ(labels_loss({1000}, {0}).exact().only("loss"), 1000);
  EXPECT_EQ(labels_loss({-1000}, {1}).exact().only("loss"), 1000);
  EXPECT_DOUBLE_EQ(labels_loss({40}, {1}).exact().only("loss"), std::exp(-40));  // log(1 + x) for a small x
}

TEST(IndependentLabelsLoss, RoundsTheLogarithmOfTheSigmoidToTheTypeOfTheLogits) {
  const auto to = [](double x) { return round_to(DType::bf16, x); };
  const double x = to(kLogOf3);
  const double likely = to(-std::log1p(std::exp(-x)));

  EXPECT_EQ(labels_loss({x}, {0.25}).oracle(DType::bf16).only("loss"), to(to(0.75 * x) - likely));
}

}  // namespace
}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Cross-entropy by hand: two words, logits 0 and ln 3, so the softmax is 1/4 and 3/4.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::HasSubstr;

const double kLn3 = std::log(3.0);

/// A call with one row of logits per label.
TestCall loss(const std::vector<double>& logits, const std::vector<int64_t>& labels, int64_t batch = 1) {
  const auto positions = static_cast<int64_t>(labels.size()) / batch;
  const int64_t words = static_cast<int64_t>(logits.size()) / static_cast<int64_t>(labels.size());
  TestCall call("cross_entropy");
  call.in("logits", {batch, positions, words}, logits).ids("labels", {batch, positions}, labels).out("loss", {});
  return call;
}

TEST(CrossEntropy, IsMinusTheLogarithmOfTheProbability) {
  EXPECT_DOUBLE_EQ(loss({0, kLn3, 0, 0}, {0, 1}).exact().only("loss"), std::log(4.0 / 3));
  EXPECT_DOUBLE_EQ(loss({0, kLn3, 0, 0}, {0, 0}).exact().only("loss"), std::log(4.0));
}

TEST(CrossEntropy, JudgesEachPositionByTheNextLabel) {
  // Position 0 predicts label 1, position 1 label 0; the last position's logits and the first label are not used.
  const double value = loss({0, kLn3, 0, kLn3, 99, -99}, {7, 1, 0}).exact().only("loss");

  EXPECT_DOUBLE_EQ(value, (std::log(4.0 / 3) + std::log(4.0)) / 2);
}

TEST(CrossEntropy, IgnoredLabelsDoNotCount) {
  const double value = loss({0, kLn3, 0, kLn3, 0, 0}, {0, -100, 0}).exact().only("loss");

  EXPECT_DOUBLE_EQ(value, std::log(4.0));  // not halved
}

TEST(CrossEntropy, BatchesAreShiftedApart) {
  // The last position of batch 0 does not predict the first label of batch 1.
  const double value = loss({0, kLn3, 50, 0, 0, kLn3, 50, 0}, {0, 1, 1, 0}, 2).exact().only("loss");

  EXPECT_DOUBLE_EQ(value, (std::log(4.0 / 3) + std::log(4.0)) / 2);
}

TEST(CrossEntropy, NothingCountedIsNaN) {
  EXPECT_TRUE(std::isnan(loss({0, 0, 0, 0}, {0, -100}).exact().only("loss")));
  EXPECT_TRUE(std::isnan(loss({0, 0}, {1}).exact().only("loss")));  // a sequence of one position predicts nothing
}

TEST(CrossEntropy, AddsTheAuxiliaryLoss) {
  TestCall call = loss({0, 0, 0, 0}, {0, 1});
  call.in("aux_loss", {}, {4}).param("aux_coefficient", 0.25);

  EXPECT_DOUBLE_EQ(call.exact().only("loss"), std::log(2.0) + 1);
}

TEST(CrossEntropy, TheCoefficientAloneAddsNothing) {
  TestCall call = loss({0, 0, 0, 0}, {0, 1});
  call.param("aux_coefficient", 0.25);

  EXPECT_DOUBLE_EQ(call.exact().only("loss"), std::log(2.0));
}

TEST(CrossEntropy, LabelsOutsideTheVocabularyAreAnError) {
  ErrorCode code{};

  EXPECT_THAT(error_of(code,
                       [] {
                         return loss({0, 0, 0, 0}, {0, 2}).exact();
                       }),
              HasSubstr("label 2 is outside the vocabulary of 2"));
  EXPECT_EQ(code, ErrorCode::schema);
  EXPECT_THAT(error_of(code, [] { return loss({0, 0, 0, 0}, {0, -1}).exact(); }), HasSubstr("label -1"));
}

TEST(CrossEntropy, HugeLogitsDoNotOverflow) {
  EXPECT_EQ(loss({5000, 0, 0, 0}, {0, 0}).exact().only("loss"), 0.0);
  EXPECT_EQ(loss({5000, 0, 0, 0}, {0, 1}).exact().only("loss"), 5000.0);
}

TEST(CrossEntropy, RoundsToBinary32AndNotToTheWorkingType) {
  const TestCall call = loss({0, 0, 0, 0}, {0, 1});

  EXPECT_EQ(call.oracle(DType::bf16).only("loss"), static_cast<double>(static_cast<float>(std::log(2.0))));
  EXPECT_EQ(call.oracle(DType::f64).only("loss"), std::log(2.0));
}

TEST(CrossEntropy, TheCoefficientIsABinary32Constant) {
  TestCall call = loss({5000, 0, 0, 0}, {0, 0});  // the cross-entropy itself is 0
  call.in("aux_loss", {}, {5}).param("aux_coefficient", 1e-3);

  EXPECT_EQ(call.oracle(DType::bf16).only("loss"), static_cast<double>(5.0F * 0.001F));
  EXPECT_NE(5.0F * 0.001F, static_cast<float>(5 * 1e-3));
}

TEST(CrossEntropy, RoundsTheWeightedAuxiliaryLossOnItsOwn) {
  TestCall call = loss({0, 0, 0, 0}, {0, 1});
  call.in("aux_loss", {}, {3}).param("aux_coefficient", 1e-3);
  const auto ce = static_cast<float>(std::log(2.0));

  EXPECT_EQ(call.oracle(DType::bf16).only("loss"), static_cast<double>(ce + static_cast<float>(3 * 1e-3)));
}

TEST(CrossEntropy, ItemsTakeThePlaceOfTheCount) {
  TestCall call = loss({0, kLn3, 0, kLn3, 0, 0}, {0, -100, 0});
  call.param("num_items", 5.0);

  EXPECT_DOUBLE_EQ(call.exact().only("loss"), std::log(4.0) / 5);
  TestCall none = loss({0, 0, 0, 0}, {0, -100});
  none.param("num_items", 5.0);
  EXPECT_EQ(none.exact().only("loss"), 0.0);  // without counted tokens the sum 0 is divided by 5
}

TEST(CrossEntropy, TheAuxiliaryLossIsNotDividedByTheItems) {
  TestCall call = loss({5000, 0, 0, 0}, {0, 0});  // the cross-entropy itself is 0
  call.in("aux_loss", {}, {4}).param("aux_coefficient", 0.25).param("num_items", 8.0);

  EXPECT_EQ(call.exact().only("loss"), 1.0);
}

TEST(CrossEntropy, AlignedLabelsCountToTheLastAndTheSumIsShown) {
  TestCall call("cross_entropy");
  call.in("logits", {1, 2, 2}, {0, 0, 0, 0}).ids("labels", {1, 2}, {0, 1}).param("label_offset", int64_t{0});
  call.out("loss", {}).out("sum", {});

  EXPECT_DOUBLE_EQ(call.exact().only("loss"), std::log(2.0));
  EXPECT_DOUBLE_EQ(call.exact().only("sum"), 2 * std::log(2.0));
}

}  // namespace
}  // namespace parity::reference

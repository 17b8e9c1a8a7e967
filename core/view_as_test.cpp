// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// TensorView::view_as: splitting, folding and permuting axis letters without a copy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/tensor.hpp"
#include "core/testing/counting.hpp"
#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using ::testing::HasSubstr;

const AxisSizes kSizes{{'A', 2}, {'B', 2}, {'D', 3}, {'F', 2}, {'G', 2}, {'H', 4}, {'S', 5}};

std::string refusal(const TensorView& view, std::string_view axes, const AxisSizes& sizes = kSizes) {
  return refusal_of(ErrorCode::internal, [&] { return view.view_as(axes, sizes); });
}

TEST(ViewAs, SplitsAFoldedAxis) {
  const Tensor tensor = counting({2, 5, 6}, "B,S,AD");

  const TensorView view = tensor.view().view_as("B,S,A,D", kSizes);

  EXPECT_EQ(view.shape, (Shape{2, 5, 2, 3}));
  EXPECT_EQ(view.strides, (Shape{30, 6, 3, 1}));
  EXPECT_EQ(view.axes, "B,S,A,D");
  EXPECT_EQ(view.data, tensor.view().data);
}

TEST(ViewAs, PermutesWhatItSplits) {
  const Tensor tensor = counting({2, 5, 6}, "B,S,AD");

  const TensorView view = tensor.view().view_as("B,A,S,D", kSizes);

  EXPECT_EQ(view.shape, (Shape{2, 2, 5, 3}));
  EXPECT_EQ(view.strides, (Shape{30, 3, 6, 1}));
  // [b,a,s,d] = [1,1,4,2] was [1,4,5] = 30 + 24 + 5
  EXPECT_EQ((view.as<double, 4>()(1, 1, 4, 2)), 59.0);
}

TEST(ViewAs, FoldsNoTokensOfSeveralSequences) {  // was refused: an extent of zero met a stride other than zero
  const AxisSizes sizes{{'B', 2}, {'S', 0}, {'H', 4}};
  const Tensor tensor(DType::f64, {2, 0, 4}, "B,S,H");

  EXPECT_EQ(tensor.view().view_as("N,H", sizes).shape, (Shape{0, 4}));
  EXPECT_EQ(tensor.view().view_as("H,N", sizes).shape, (Shape{4, 0}));
}

TEST(ViewAs, FoldsBatchAndSequenceToTokens) {
  const Tensor tensor = counting({2, 5, 4}, "B,S,H");

  const TensorView view = tensor.view().view_as("N,H", kSizes);

  EXPECT_EQ(view.shape, (Shape{10, 4}));
  EXPECT_EQ((view.as<double, 2>()(7, 3)), 31.0);
}

TEST(ViewAs, UnfoldsTokensToBatchAndSequence) {
  const Tensor tensor = counting({10, 4}, "N,H");

  const TensorView view = tensor.view().view_as("B,S,H", kSizes);

  EXPECT_EQ(view.shape, (Shape{2, 5, 4}));
  EXPECT_EQ(view.strides, (Shape{20, 4, 1}));
}

TEST(ViewAs, TokensAreThoseThatTheSequencesLeave) {
  const Tensor some = counting({6, 4}, "N,H");  // three of the call's five tokens of each sequence

  EXPECT_EQ(some.view().view_as("B,1,S,H", kSizes).shape, (Shape{2, 1, 3, 4}));
  EXPECT_THAT(refusal(counting({5, 4}, "N,H").view(), "B,S,H"), HasSubstr("changes the number of elements"));
}

TEST(ViewAs, FoldsNeighboursBackTogether) {
  const Tensor tensor = counting({2, 5, 2, 3}, "B,S,A,D");

  EXPECT_EQ(tensor.view().view_as("B,S,AD", kSizes).shape, (Shape{2, 5, 6}));
}

TEST(ViewAs, LiteralOneAppearsAndDisappears) {
  const Tensor flat = counting({2, 5, 4}, "B,S,H");
  const Tensor headed = counting({2, 1, 5, 4}, "B,1,S,H");

  const TensorView added = flat.view().view_as("B,1,S,H", kSizes);
  const TensorView removed = headed.view().view_as("B,S,H", kSizes);

  EXPECT_EQ(added.shape, (Shape{2, 1, 5, 4}));
  EXPECT_EQ((added.as<double, 4>()(1, 0, 2, 3)), 31.0);
  EXPECT_EQ((added.as<double, 2>()(7, 3)), 31.0);  // for any stride of the new axis
  EXPECT_EQ(removed.shape, (Shape{2, 5, 4}));
  EXPECT_EQ(headed.view().view_as("B,S,1,H", kSizes).shape, (Shape{2, 5, 1, 4}));
}

TEST(ViewAs, KeepsWholeWhatTheTargetNamesWhole) {
  const Tensor tensor = counting({10, 4}, "N,2F");  // "2F" is not split into letters

  EXPECT_EQ(tensor.view().view_as("B,S,2F", kSizes).shape, (Shape{2, 5, 4}));
  EXPECT_EQ(counting({2, 5, 6}, "B,S,AD").view().view_as("S,B,AD", kSizes).strides, (Shape{6, 30, 1}));
}

TEST(ViewAs, TheSameAxesAreTheSameViewWithoutAnySizes) {
  TensorView view = counting({2, 6}, "B,AD").view();
  view.strides = {100, 7};

  EXPECT_EQ(view.view_as("B,AD", {}).strides, (Shape{100, 7}));
}

TEST(ViewAs, SplitsAStridedAxis) {
  TensorView view = counting({2, 6}, "B,AD").view();
  view.strides = {24, 2};

  EXPECT_EQ(view.view_as("B,A,D", kSizes).strides, (Shape{24, 6, 2}));
}

TEST(ViewAs, FoldsOverAxesOfExtentOne) {
  const AxisSizes sizes{{'B', 1}, {'S', 5}, {'A', 1}, {'D', 3}};
  TensorView view = counting({1, 5, 1, 3}, "B,S,A,D").view();
  view.strides = {999, 3, 999, 1};  // strides of extent 1 are ignored

  EXPECT_EQ(view.view_as("N,AD", sizes).shape, (Shape{5, 3}));
  EXPECT_EQ(view.view_as("N,AD", sizes).strides, (Shape{3, 1}));
}

TEST(ViewAs, RefusesToFoldPermutedOrPaddedAxes) {
  const Tensor permuted = counting({5, 2, 4}, "S,B,H");
  TensorView padded = counting({2, 5, 4}, "B,S,H").view();
  padded.strides = {24, 4, 1};  // a sixth row after each batch element

  EXPECT_THAT(refusal(permuted.view(), "N,H"), HasSubstr("axis N of 'S,B,H' cannot be folded without a copy"));
  EXPECT_THAT(refusal(padded, "N,H"), HasSubstr("cannot be folded without a copy"));
}

TEST(ViewAs, RefusesUnknownLettersAndUnknownSizes) {
  const Tensor tensor = counting({2, 5, 6}, "B,S,AD");

  EXPECT_THAT(refusal(tensor.view(), "B,S,Z"), HasSubstr("axis Z is not in the source"));
  EXPECT_THAT(refusal(tensor.view(), "B,S,A,D", {{'A', 2}}), HasSubstr("size of axis D is not known"));
}

TEST(ViewAs, RefusesToChangeTheNumberOfElements) {
  const Tensor tensor = counting({2, 5, 6}, "B,S,AD");

  EXPECT_THAT(refusal(tensor.view(), "B,S,A"), HasSubstr("changes the number of elements"));
  EXPECT_THAT(refusal(tensor.view(), "B,S,A,D", {{'A', 4}, {'D', 3}}), HasSubstr("changes the number of elements"));
}

TEST(ViewAs, RefusesAxesThatDoNotDescribeTheShape) {
  EXPECT_THAT(refusal(counting({2, 5}, "B,S,H").view(), "N,H"), HasSubstr("do not describe (2, 5)"));
}

TEST(SplitAxes, CutsAtCommas) {
  EXPECT_EQ(split_axes("B,S,AD"), (std::vector<std::string>{"B", "S", "AD"}));
  EXPECT_TRUE(split_axes("").empty());  // a scalar
}

TEST(CopiedAs, FoldsWhatNoViewCan) {
  Tensor heads(DType::f64, {1, 2, 3, 2}, "B,A,S,D");
  for (int64_t i = 0; i < 12; ++i) heads.f64()[i] = static_cast<double>(i);
  const AxisSizes sizes{{'B', 1}, {'A', 2}, {'S', 3}, {'D', 2}};

  ASSERT_FALSE(heads.view().viewable_as("B,S,AD", sizes));
  EXPECT_TRUE(heads.view().viewable_as("B,S,A,D", sizes));
  const Tensor tokens = copied_as(heads.view(), "B,S,AD", sizes);

  EXPECT_EQ(tokens.shape(), (Shape{1, 3, 4}));
  EXPECT_EQ(tokens.view().axes, "B,S,AD");
  EXPECT_EQ(std::vector<double>(tokens.f64(), tokens.f64() + 12),
            (std::vector<double>{0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11}));
}

}  // namespace
}  // namespace parity

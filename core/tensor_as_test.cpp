// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// TensorView::as: typed access, folding of leading axes, refusals.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/tensor.hpp"
#include "core/testing/counting.hpp"
#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TensorAs, ReadsEveryElementInItsPlace) {
  const Tensor tensor = counting({2, 3, 4});

  const auto span = tensor.view().as<double, 3>();

  EXPECT_THAT(span.extent, ElementsAre(2, 3, 4));
  EXPECT_EQ(span(1, 2, 3), 23.0);
  EXPECT_EQ(span(1, 0, 2), 14.0);
}

TEST(TensorAs, FoldsLeadingAxes) {
  const Tensor tensor = counting({2, 3, 4});

  const auto rows = tensor.view().as<double, 2>();
  const auto flat = tensor.view().as<double, 1>();

  EXPECT_THAT(rows.extent, ElementsAre(6, 4));
  EXPECT_EQ(rows(4, 1), 17.0);  // [1,1,1]
  EXPECT_THAT(flat.extent, ElementsAre(24));
  EXPECT_EQ(flat(23), 23.0);
}

TEST(TensorAs, IgnoresTheStridesOfExtentOneAxes) {  // was read with stride 1: row 1 began at element 1
  const Tensor tensor = counting({24});
  TensorView view = tensor.view();
  view.shape = {2, 1, 1, 12};
  view.strides = {12, 1, 1, 1};

  const auto rows = view.as<double, 2>();
  const auto middle = view.as<double, 3>();

  EXPECT_THAT(rows.extent, ElementsAre(2, 12));
  EXPECT_EQ(rows(0, 11), 11.0);
  EXPECT_EQ(rows(1, 0), 12.0);
  EXPECT_EQ(rows(1, 11), 23.0);
  EXPECT_EQ(middle(1, 0, 5), 17.0);
  EXPECT_EQ((view.as<double, 1>()(13)), 13.0);
}

TEST(TensorAs, FoldsWithAnyCommonStrideOfTheRows) {
  const Tensor tensor = counting({2, 2, 5});
  TensorView padded = tensor.view();
  padded.shape = {2, 2, 3};  // rows of 3 in buffers of 5

  const auto rows = padded.as<double, 2>();

  EXPECT_EQ(rows(3, 2), 17.0);
  EXPECT_EQ(rows(1, 0), 5.0);
}

TEST(TensorAs, FoldsAxesWithoutElementsWhateverTheirStrides) {  // tensors of two sequences without tokens were refused
  for (const Shape& shape : {Shape{2, 0, 3}, Shape{0, 2, 3}, Shape{2, 0, 2, 3}}) {
    const Tensor tensor(DType::f64, shape);

    EXPECT_THAT((tensor.view().as<double, 2>().extent), ElementsAre(0, 3)) << to_string(shape);
  }
  EXPECT_THAT((Tensor(DType::f64, {2, 0}).view().as<double, 1>().extent), ElementsAre(0));
  EXPECT_THAT((Tensor(DType::f64, {2, 2, 0}).view().as<double, 2>().extent), ElementsAre(4, 0)) << "rows of nothing";
  TensorView exchanged = Tensor(DType::f64, {0, 2, 2, 5}).view();
  exchanged.strides = {20, 5, 10, 1};
  EXPECT_THAT((exchanged.as<double, 2>().extent), ElementsAre(0, 5));
}

TEST(TensorAs, RefusesToFoldWhatOnlyACopyCouldFold) {
  TensorView view = counting({2, 2, 5}).view();
  view.shape = {2, 2, 3};
  EXPECT_THAT(refusal_of(ErrorCode::internal, [&] { return view.as<double, 1>(); }),
              HasSubstr("cannot be folded without a copy"));

  view.strides = {5, 10, 1};  // the first two axes exchanged
  EXPECT_THAT(refusal_of(ErrorCode::internal, [&] { return view.as<double, 2>(); }), HasSubstr("cannot be folded"));
}

TEST(TensorAs, RefusesAnotherElementTypeOrASmallerRank) {
  const Tensor tensor = counting({2, 3});

  EXPECT_THAT(refusal_of(ErrorCode::internal, [&] { return tensor.view().as<int64_t, 2>(); }),
              HasSubstr("tensor is f64"));
  EXPECT_THAT(refusal_of(ErrorCode::internal, [&] { return tensor.view().as<double, 3>(); }), HasSubstr("rank 2"));
}

}  // namespace
}  // namespace parity

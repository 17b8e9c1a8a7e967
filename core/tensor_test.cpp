// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tensors: counts, strided access, copies, slices and joins.
#include "core/tensor.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/testing/counting.hpp"
#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The elements as doubles, in row-major order.
std::vector<double> values(const TensorView& view) {
  std::vector<double> result;
  for (int64_t flat = 0; flat < view.count(); ++flat) result.push_back(view.value(flat));
  return result;
}

TEST(ElementCount, IsTheProductOfTheExtents) {
  EXPECT_EQ(element_count({}), 1);  // a scalar
  EXPECT_EQ(element_count({2, 137, 48}), 13152);
  EXPECT_EQ(element_count({7, 0, 5}), 0);
}

TEST(ElementCount, RefusesNegativeExtents) {
  EXPECT_THAT(refusal_of(ErrorCode::schema, [] { return element_count({4, -1}); }), HasSubstr("(4, -1) is negative"));
}

TEST(ElementCount, RefusesProductsThatOverflow) {
  constexpr int64_t kBig = int64_t{1} << 31;
  EXPECT_EQ(element_count({kBig, kBig}), int64_t{1} << 62);
  EXPECT_THAT(refusal_of(ErrorCode::schema,
                         [] {
                           return element_count({kBig, kBig, 2});
                         }),
              HasSubstr("more than 2^62"));
  EXPECT_THAT(refusal_of(ErrorCode::schema,
                         [] {
                           return element_count({kBig, kBig, kBig});
                         }),
              HasSubstr("2^62"));  // wraps to 2^29
  EXPECT_EQ(element_count({0, kBig, kBig, kBig}), 0);
}

TEST(Tensor, RefusesMoreBytesThanAnAddressSpaceBeforeItAllocates) {
  EXPECT_THAT(refusal_of(ErrorCode::schema, [] { return Tensor(DType::f64, {int64_t{1} << 60}); }),
              HasSubstr("does not fit"));
}

TEST(Tensor, StartsAtZeroInRowMajorOrder) {
  const Tensor tensor(DType::f32, {2, 3, 4}, "A,B,C");

  EXPECT_EQ(tensor.view().strides, (Shape{12, 4, 1}));
  EXPECT_TRUE(tensor.view().contiguous());
  EXPECT_EQ(tensor.bytes(), 96);
  EXPECT_EQ(values(tensor.view()), std::vector<double>(24, 0.0));
}

TEST(TensorView, OffsetFollowsTheStrides) {
  TensorView view = counting({2, 3}).view();
  view.strides = {1, 2};  // the same six numbers, column by column

  EXPECT_EQ(view.offset(0), 0);
  EXPECT_EQ(view.offset(1), 2);  // [0,1]
  EXPECT_EQ(view.offset(3), 1);  // [1,0]
  EXPECT_EQ(view.offset(5), 5);
}

TEST(TensorView, StridesOfExtentOneDoNotMatterForContiguity) {
  TensorView view = counting({2, 1, 3}).view();
  view.strides = {3, 77, 1};
  EXPECT_TRUE(view.contiguous());

  view.strides = {4, 77, 1};
  EXPECT_FALSE(view.contiguous());
}

TEST(Convert, RoundsOnceToTheNewType) {
  Tensor source(DType::f64, {3}, "N");
  source.f64()[0] = 1.0 + 0x1p-8;  // a tie of bf16
  source.f64()[1] = 1.0 + 0x1p-8 + 0x1p-40;
  source.f64()[2] = -3.0;

  const Tensor result = convert(source.view(), DType::bf16);

  EXPECT_EQ(result.dtype(), DType::bf16);
  EXPECT_EQ(result.view().axes, "N");
  EXPECT_THAT(values(result.view()), ElementsAre(1.0, 1.0 + 0x1p-7, -3.0));
}

TEST(Convert, MakesStridedViewsContiguous) {
  TensorView view = counting({2, 3}).view();
  const Tensor keep = counting({2, 3});
  view = keep.view();
  view.shape = {3, 2};
  view.strides = {1, 3};  // the transpose

  const Tensor result = convert(view, DType::f64);

  EXPECT_TRUE(result.view().contiguous());
  EXPECT_EQ(std::vector<double>(result.f64(), result.f64() + 6), (std::vector<double>{0, 3, 1, 4, 2, 5}));
}

TEST(Convert, ReadsEveryRowAtItsStride) {
  Tensor tensor(DType::f64, {2, 3, 2});
  for (int64_t i = 0; i < 12; ++i) tensor.f64()[i] = static_cast<double>(i);
  TensorView view = tensor.view();  // axes swapped: (3, 2, 2)
  std::swap(view.shape[0], view.shape[1]);
  std::swap(view.strides[0], view.strides[1]);
  const Tensor wide = convert(view, DType::f64);
  const Tensor narrow = convert(view, DType::bf16);

  const std::vector<double> expected{0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(wide.f64()[i], expected[i]);
    EXPECT_EQ(narrow.view().value(static_cast<int64_t>(i)), expected[i]);
  }
}

TEST(Widen, KeepsIntegersThatBinary64CannotHold) {
  Tensor source(DType::i64, {1});
  source.i64()[0] = (int64_t{1} << 53) + 1;

  EXPECT_EQ(widen(source.view()).i64()[0], (int64_t{1} << 53) + 1);
}

TEST(Widen, MakesBinary64OfFloatsAndI64OfTheRest) {
  EXPECT_EQ(widen(Tensor(DType::e5m2, {1}).view()).dtype(), DType::f64);
  EXPECT_EQ(widen(Tensor(DType::i32, {1}).view()).dtype(), DType::i64);
  EXPECT_EQ(widen(Tensor(DType::boolean, {1}).view()).dtype(), DType::i64);
}

TEST(Slice, ViewsRowsAlongTheNamedAxis) {
  const Tensor tensor = counting({2, 4, 2}, "B,K,D");

  const TensorView part = slice(tensor.view(), 'K', 1, 2);

  EXPECT_EQ(part.shape, (Shape{2, 2, 2}));
  EXPECT_THAT(values(part), ElementsAre(2, 3, 4, 5, 10, 11, 12, 13));
  EXPECT_EQ(part.data, tensor.view().data + 2 * sizeof(double));  // no copy
}

TEST(Slice, RefusesRowsOutsideTheAxis) {
  const Tensor tensor = counting({2, 4}, "B,K");

  EXPECT_THAT(refusal_of(ErrorCode::internal, [&] { return slice(tensor.view(), 'K', 3, 2); }),
              HasSubstr("from 3 up to, not including, 5"));
  EXPECT_THAT(refusal_of(ErrorCode::internal, [&] { return slice(tensor.view(), 'K', -1, 2); }),
              HasSubstr("from -1 up to, not including, 1"));
  EXPECT_THAT(refusal_of(ErrorCode::internal, [&] { return slice(tensor.view(), 'D', 0, 1); }), HasSubstr("no axis D"));
  EXPECT_EQ(slice(tensor.view(), 'K', 4, 0).count(), 0);
}

TEST(Concatenate, JoinsAlongTheNamedAxis) {
  const Tensor a = counting({2, 1, 2}, "B,K,D");
  const Tensor b = counting({2, 2, 2}, "B,K,D");

  const Tensor joined = concatenate({a.view(), b.view()}, 'K');

  EXPECT_EQ(joined.shape(), (Shape{2, 3, 2}));
  EXPECT_THAT(values(joined.view()), ElementsAre(0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 6, 7));
}

TEST(Concatenate, UndoesSlicing) {
  const Tensor whole = counting({3, 5}, "B,K");

  const Tensor joined = concatenate({slice(whole.view(), 'K', 0, 2), slice(whole.view(), 'K', 2, 3)}, 'K');

  EXPECT_EQ(values(joined.view()), values(whole.view()));
}

TEST(Concatenate, RefusesPartsOfOtherShape) {
  const Tensor a = counting({2, 1}, "B,K");
  const Tensor b = counting({3, 1}, "B,K");

  EXPECT_THAT(refusal_of(ErrorCode::schema,
                         [&] {
                           return concatenate({a.view(), b.view()}, 'K');
                         }),
              HasSubstr("tensors of shapes (3, 1)"));
  EXPECT_THAT(refusal_of(ErrorCode::internal, [] { return concatenate({}, 'K'); }), HasSubstr("nothing"));
}

TEST(Tensor, GuardsShowWritesBesideTheElements) {
  for (const int64_t at : {-1, 6}) {
    const Tensor tensor = Tensor::guarded(DType::f64, {2, 3}, "B,S");
    tensor.f64()[0] = tensor.f64()[5] = 1.0;
    EXPECT_TRUE(tensor.guards_intact());
    tensor.f64()[at] = 0.0;
    EXPECT_FALSE(tensor.guards_intact()) << at;
  }
  EXPECT_TRUE(Tensor(DType::f64, {2}).guards_intact());
  EXPECT_TRUE(Tensor::guarded(DType::i64, {0}).guards_intact());
  EXPECT_TRUE(Tensor().guards_intact());
}

}  // namespace
}  // namespace parity

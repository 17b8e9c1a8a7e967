// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/captures/stored_tap.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace parity::replay {
namespace {

TapInfo heads() {
  TapInfo info;
  info.axes = "B,S,A,D";
  info.shape = {2, 3, 4, 5};
  return info;
}

golden::DatasetInfo stored(const Shape& shape, const std::string& axes) {
  golden::DatasetInfo info;
  info.shape = shape;
  info.axes = axes;
  return info;
}

TEST(StoredTap, OfEveryFloatTypeIsReadableAndIdsOfThirtyTwoBitsToo) {
  for (const DType found : {DType::bf16, DType::f16, DType::f32, DType::f64}) {
    EXPECT_TRUE(readable_as(found, DType::bf16));
    EXPECT_TRUE(readable_as(found, DType::f32));
    EXPECT_FALSE(readable_as(found, DType::i64));
  }
  EXPECT_TRUE(readable_as(DType::i32, DType::i64));
  EXPECT_FALSE(readable_as(DType::i64, DType::f32));
  EXPECT_FALSE(readable_as(DType::u8, DType::i64));
  EXPECT_FALSE(readable_as(DType::e4m3fn, DType::f32)) << "codes are no numbers";
}

TEST(StoredTap, IsNarrowerByItsSignificand) {
  EXPECT_TRUE(narrower(DType::bf16, DType::f32));
  EXPECT_TRUE(narrower(DType::bf16, DType::f16));
  EXPECT_FALSE(narrower(DType::f32, DType::bf16));
  EXPECT_FALSE(narrower(DType::i32, DType::i64));
}

TEST(StoredTap, IsReadUnderItsOwnAxesWhereTheyAreThePlansExchanged) {
  EXPECT_EQ(axes_read(stored({2, 4, 3, 5}, "B,A,S,D"), heads()), "B,A,S,D");
  EXPECT_EQ(axes_read(stored({2, 3, 4, 5}, "B,S,A,D"), heads()), "B,S,A,D");
  EXPECT_EQ(axes_read(stored({2, 3, 4, 5}, "B,S,A,E"), heads()), "B,S,A,D") << "other letters say nothing";
  EXPECT_EQ(axes_read(stored({2, 3, 4, 5}, "B,A,S,D"), heads()), "B,S,A,D") << "its shape is the plan's";
}

TEST(StoredTap, WithEqualExtentsItsAttributeDecides) {
  TapInfo square = heads();
  square.shape = {2, 4, 4, 5};

  EXPECT_EQ(axes_read(stored({2, 4, 4, 5}, "B,A,S,D"), square), "B,A,S,D");
}

TEST(StoredTap, WhoseShapeIsExchangedNamesTheAxes) {
  EXPECT_EQ(exchanged_axes({2, 4, 3, 5}, heads()), "B,A,S,D");
  EXPECT_EQ(exchanged_axes({3, 2, 4, 5}, heads()), "S,B,A,D");
  EXPECT_EQ(exchanged_axes({2, 3, 4, 5}, heads()), "");
  EXPECT_EQ(exchanged_axes({2, 3, 4, 6}, heads()), "");
  EXPECT_EQ(exchanged_axes({2, 3, 20}, heads()), "");
}

TEST(StoredTap, ComesBackInThePlansOrder) {
  Tensor found(DType::f32, {2, 4, 3, 5}, "B,A,S,D");
  for (int64_t i = 0; i < 120; ++i) store_element(DType::f32, found.view().data + 4 * i, static_cast<double>(i));

  const Tensor tap = in_planned_order(found, "B,A,S,D", heads());

  EXPECT_EQ(tap.shape(), heads().shape);
  EXPECT_EQ(tap.view().axes, "B,S,A,D");
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t s = 0; s < 3; ++s) {
      for (int64_t a = 0; a < 4; ++a) {
        for (int64_t d = 0; d < 5; ++d)
          EXPECT_EQ(tap.view().value(((b * 3 + s) * 4 + a) * 5 + d), found.view().value(((b * 4 + a) * 3 + s) * 5 + d));
      }
    }
  }
}

Tensor of_values(DType dtype, const std::vector<double>& values) {
  Tensor tensor(dtype, {static_cast<int64_t>(values.size())}, "H");
  for (size_t i = 0; i < values.size(); ++i)
    store_element(dtype, tensor.view().data + static_cast<int64_t>(i) * size_of(dtype), values[i]);
  return tensor;
}

TEST(StoredTap, IsConvertedWhereEveryValueIsOneOfThePlansType) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  const Tensor dump = of_values(DType::f32, {1.0, -0.5, kInf, kNan, 0x1p-130});

  EXPECT_EQ(in_planned_type(dump, DType::bf16).dtype(), DType::bf16);
  EXPECT_EQ(in_planned_type(of_values(DType::f32, {1.0, 1.0 + 0x1p-20}), DType::bf16).dtype(), DType::f32);
  EXPECT_EQ(in_planned_type(of_values(DType::bf16, {1.0}), DType::f32).dtype(), DType::bf16) << "rounded when stored";
  EXPECT_EQ(in_planned_type(of_values(DType::f16, {1.0, 1.0 + 0x1p-10}), DType::bf16).dtype(), DType::f16);
  EXPECT_EQ(in_planned_type(of_values(DType::i32, {7.0}), DType::i64).i64()[0], 7);
}

}  // namespace
}  // namespace parity::replay

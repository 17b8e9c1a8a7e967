// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Linear layer by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TestCall linear(const Shape& x_shape, const std::vector<double>& x, const Shape& weight_shape,
                const std::vector<double>& weight) {
  TestCall call("linear");
  Shape out = x_shape;
  out.back() = weight_shape[0];
  call.in("x", x_shape, x).in("weight", weight_shape, weight).out("out", out);
  return call;
}

TEST(Linear, MultipliesByTheTransposedWeight) {
  // Rows of the weight: (1, 0), (0, 1), (1, -1).
  const auto out = linear({2, 2}, {1, 2, 3, 4}, {3, 2}, {1, 0, 0, 1, 1, -1}).exact()["out"];

  EXPECT_THAT(out, ElementsAre(1, 2, -1, 3, 4, -1));
}

TEST(Linear, ColumnsBeyondABlockAreTheirOwn) {  // products go block by block: 512 columns
  std::vector<double> weight(1100);
  for (size_t f = 0; f < weight.size(); ++f) weight[f] = static_cast<double>(f);
  const TestCall call = linear({1, 1}, {2}, {1100, 1}, weight);
  const auto exact = call.exact()["out"];
  const auto bounded = call.bounded(DType::bf16);

  for (const size_t f : {size_t{0}, size_t{511}, size_t{512}, size_t{1023}, size_t{1024}, size_t{1099}}) {
    EXPECT_EQ(exact[f], 2.0 * static_cast<double>(f));
    EXPECT_GE(bounded.rounding.at("out").f64()[f], exact[f] / 512) << f;
  }
}

TEST(Linear, RoundsTheWholeSumOnce) {
  const TestCall call = linear({1, 3}, {256, 1, 1}, {1, 3}, {1, 1, 1});

  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(258));  // accumulated in bf16: 256 + 1 + 1 stays 256
}

TEST(Linear, RoundsToTheWorkingType) {
  const TestCall call = linear({1, 2}, {256, 1}, {1, 2}, {1, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(257));
  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(256));  // the tie between 256 and 258 goes to even
}

TEST(Linear, AccumulatesInBinary32) {
  // 1 + 2^-8 + 2^-30 is above a tie of bf16; in binary32 it becomes the tie.
  const TestCall call = linear({1, 3}, {1, 0x1p-8, 0x1p-30}, {1, 3}, {1, 1, 1});

  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(1));
}

TEST(Linear, BoundIsAccumulationPlusRounding) {
  const auto out = linear({1, 2}, {1, 2}, {1, 2}, {3, -4}).bounded(DType::bf16);
  const double accumulation = 2.0 * 0x1p-24 * 11.0;  // gamma(2) u sum|x w|
  const double reach = 5.0 + accumulation;           // |3 - 8| and its error

  EXPECT_THAT(out["out"], ElementsAre(-5));
  EXPECT_DOUBLE_EQ(out.rounding.at("out").f64()[0], 0x1p-8 * reach);
  EXPECT_DOUBLE_EQ(out.noise.at("out").f64()[0], accumulation + 4.0 * 0x1p-24 * reach);
}

TEST(Linear, ReadsRowsBeyondItsTile) {  // rows are taken 256 at a time
  const auto out = linear({513, 1}, std::vector<double>(513, 2.0), {1, 1}, {3}).exact()["out"];

  EXPECT_THAT(out, Each(6.0));
}

TEST(Linear, FoldsTheAxesInFront) {
  const auto out = linear({2, 2, 1}, {1, 2, 3, 4}, {2, 1}, {1, 10}).exact()["out"];

  EXPECT_THAT(out, ElementsAre(1, 10, 2, 20, 3, 30, 4, 40));
}

TEST(Linear, AddsTheBiasToEveryRow) {
  TestCall call = linear({2, 1}, {1, 2}, {2, 1}, {1, 10});
  call.in("bias", {2}, {100, 200});

  EXPECT_THAT(call.exact()["out"], ElementsAre(101, 210, 102, 220));
}

TEST(Linear, TheBiasIsATermOfTheSum) {
  TestCall call = linear({1, 2}, {256, 1}, {1, 2}, {1, 1});
  call.in("bias", {1}, {1});

  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(258));  // rounded before it was added: 256 + 1 stays 256
  const double u = 0x1p-24;
  EXPECT_GE(call.bounded(DType::bf16).noise.at("out").f64()[0], 3 * u * 258);
}

}  // namespace
}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Operands of kernels: rounding points of an evaluation, and outputs that accept values and bounds.
#include "core/component.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "core/components/norm/rms_norm.hpp"

namespace parity {
namespace {

TEST(PointsOf, FollowTheContextsTable) {
  Context context;
  context.rounding = Rounding::oracle(DType::bf16, {{"rms_norm.out", Precision::single}});

  const auto round = points_of<RmsNorm>(context);

  EXPECT_EQ(round.gain.precision, Precision::single);
  EXPECT_EQ(round.out.precision, Precision::single);
  EXPECT_EQ(round.out.working, DType::bf16);
  EXPECT_TRUE(round.out.active);
}

TEST(Sink, WritesValuesAndBoundsInPlaceOfPermutedOutputs) {
  const Tensor out(DType::f64, {2, 3}, "S,H");
  std::vector<double> rounding(6), noise(6);
  Context context;
  context.bounds.push_back({out.view().data, rounding.data(), noise.data()});
  const Sink<Bounded, 2> sink(out.view().view_as("H,S", {{'S', 2}, {'H', 3}}), context);

  sink.set(Bounded(1.0, 2.0, 3.0), 2, 0);  // [h=2, s=0] is element 2

  EXPECT_EQ(out.f64()[2], 1.0);
  EXPECT_EQ(rounding[2], 2.0);
  EXPECT_EQ(noise[2], 3.0);
}

TEST(Sink, NeedsABoundSlotOnlyForBounded) {
  const Tensor out(DType::f64, {1}, "H");

  EXPECT_NO_THROW((Sink<double, 1>(out.view(), Context{}).set(1.0, 0)));
  EXPECT_THROW((Sink<Bounded, 1>(out.view(), Context{})), Error);
}

}  // namespace
}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attention of the vision tower by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A call with one head of one channel; keys of 0 give all patches of the scope the same weight.
TestCall even(const std::vector<double>& v, const std::vector<int64_t>& grid, bool per_medium) {
  const auto patches = static_cast<int64_t>(v.size());
  const Shape shape{1, 1, patches, 1};
  TestCall call("vision_attention");
  call.in("q", shape, std::vector<double>(v.size(), 1.0))
      .in("k", shape, std::vector<double>(v.size(), 0.0))
      .in("v", shape, v)
      .ids("grid", {static_cast<int64_t>(grid.size()) / 3, 3}, grid)
      .param("per_medium", per_medium)
      .out("out", {1, patches, 1, 1});
  return call;
}

TEST(VisionAttention, SeesAllPatchesOfTheCall) {
  EXPECT_THAT(even({1, 3, 10, 30, 50, 80}, {1, 1, 2, 2, 1, 2}, false).exact()["out"], ::testing::Each(DoubleEq(29.0)));
}

TEST(VisionAttention, PerMediumSeesTheWholeVideoAndNothingElse) {
  EXPECT_THAT(even({1, 3, 10, 30, 50, 90}, {1, 1, 2, 2, 1, 2}, true).exact()["out"], ElementsAre(2, 2, 45, 45, 45, 45));
}

TEST(VisionAttention, IsASoftmaxOfScaledScores) {
  TestCall call("vision_attention");
  call.in("q", {1, 1, 2, 1}, {2, 0})
      .in("k", {1, 1, 2, 1}, {0, 1})
      .in("v", {1, 1, 2, 1}, {0, 1})
      .ids("grid", {1, 3}, {1, 1, 2})
      .param("scale", 0.5)
      .out("out", {1, 2, 1, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(DoubleEq(std::exp(1.0) / (1.0 + std::exp(1.0))), DoubleEq(0.5)));
}

TEST(VisionAttention, HeadsAreTheirOwn) {
  TestCall call("vision_attention");
  call.in("q", {1, 2, 1, 1}, {1, 1})
      .in("k", {1, 2, 1, 1}, {1, 1})
      .in("v", {1, 2, 1, 1}, {7, 9})
      .ids("grid", {1, 3}, {1, 1, 1})
      .out("out", {1, 1, 2, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(7, 9));
}

TEST(VisionAttention, EagerRoundsWeightsBeforeTheMixture) {
  // In bf16 1/3 rounds to 0.333984375; sdpa divides at the end.
  const TestCall call = even({1, 1, 1}, {1, 1, 3}, false);

  EXPECT_EQ(call.oracle(DType::bf16)["out"][0], 1.0);  // 3 * 0.333984375 = 1.00195 rounds to 1
  EXPECT_EQ(even({128, 128, 128}, {1, 1, 3}, false).exact()["out"][0], 128.0);
}

TEST(VisionAttention, CountsTilesFromTheStartOfTheScope) {
  // Tiles have two keys. The second medium starts at patch 1, so its tiles are {1, 2} and {3}; its rows must not depend
  // on the previous image.
  const auto streamed = [](const std::vector<double>& v, const std::vector<int64_t>& grid) {
    TestCall call = even(v, grid, true);
    call.param("normalise_first", false).param("key_tile", int64_t{2});
    return call.oracle(DType::bf16)["out"];
  };
  const auto alone = streamed({0.3, 0.7, 1.9}, {1, 1, 3});
  const auto last = streamed({5, 0.3, 0.7, 1.9}, {1, 1, 1, 1, 1, 3});

  EXPECT_EQ(std::vector<double>(last.begin() + 1, last.end()), alone);
}

TEST(VisionAttention, RefusesGridsOfOtherPatches) {
  ErrorCode code{};

  EXPECT_THAT(error_of(code, [] { (void)even({1, 2, 3}, {1, 1, 2}, false).exact(); }), HasSubstr("there are 3"));
  EXPECT_EQ(code, ErrorCode::schema);
}

}  // namespace
}  // namespace parity::reference

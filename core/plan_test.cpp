// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The plan's look-ups and the writer that builds it.
#include "core/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/plan_writer.hpp"

namespace parity {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const AxisSizes kSizes{{'A', 4}, {'B', 2}, {'D', 3}, {'F', 7}, {'H', 5}, {'K', 6}, {'S', 3}};

TEST(ShapeOf, MultipliesLettersAndDigits) {
  EXPECT_EQ(shape_of("B,S,AD", kSizes), (Shape{2, 3, 12}));
  EXPECT_EQ(shape_of("2F,H", kSizes), (Shape{14, 5}));
  EXPECT_EQ(shape_of("N,H", kSizes), (Shape{6, 5}));  // N = B S
  EXPECT_EQ(shape_of("B,1,K,D", kSizes), (Shape{2, 1, 6, 3}));
  EXPECT_EQ(shape_of("", kSizes), Shape{});
}

TEST(ShapeOf, RefusesALetterWithoutSize) { EXPECT_THROW(static_cast<void>(shape_of("B,Z", kSizes)), Error); }

TEST(Plan, UnknownTapNamesTheNearest) {
  Plan plan;
  plan.taps["steps/000/loss"] = {};
  try {
    static_cast<void>(plan.tap("steps/000/los"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'steps/000/loss'?"));
  }
}

TEST(Plan, RecordedTypesFollowTheWorkingType) {
  Plan plan;
  plan.working = DType::bf16;
  EXPECT_EQ(plan.dtype_of(TapType::working), DType::bf16);
  EXPECT_EQ(plan.dtype_of(TapType::single), DType::f32);
  EXPECT_EQ(plan.dtype_of(TapType::index), DType::i64);

  plan.working = DType::f64;
  EXPECT_EQ(plan.dtype_of(TapType::single), DType::f64);  // a binary64 capture
}

class Writer : public ::testing::Test {
 protected:
  Writer() { writer.begin_call(0, "steps/000/", kSizes); }

  Plan plan;
  PlanWriter writer{plan};
};

TEST_F(Writer, NodeKeepsComponentPrefixStepAndLayer) {
  writer.layer(3);
  writer.node("linear", "a/b").param("x", int64_t{4});

  ASSERT_EQ(plan.nodes.size(), 1U);
  EXPECT_EQ(plan.nodes[0].component, "linear");
  EXPECT_EQ(plan.nodes[0].prefix, "steps/000/a/b");
  EXPECT_EQ(plan.nodes[0].layer, 3);
  EXPECT_EQ(plan.nodes[0].step, 0);
  EXPECT_EQ(std::get<int64_t>(plan.nodes[0].params.at("x")), 4);
}

TEST_F(Writer, OutputIsATapUnderThePrefixOrThePrefixItself) {
  writer.node("linear", "a").out("out", "out", "B,S,H").out("other", "", "B,K", TapType::index);
  writer.node("loss", "").out("loss", "loss", "", TapType::single);

  EXPECT_EQ(plan.tap("steps/000/a/out").shape, (Shape{2, 3, 5}));
  EXPECT_EQ(plan.tap("steps/000/a").type, TapType::index);
  EXPECT_EQ(plan.tap("steps/000/loss").producer, 1);
  EXPECT_EQ(plan.nodes[0].outputs.at("out").name, "steps/000/a/out");
}

TEST_F(Writer, EveryTapIsAssignedOnce) {
  writer.node("linear", "a").out("out", "out", "B,S,H");
  auto second = writer.node("linear", "a");

  EXPECT_THROW(second.out("out", "out", "B,S,H"), Error);
}

TEST_F(Writer, TapsOfTheCallAndWholeNamesAreTold) {
  writer.node("n", "a").tap("x", "in", "N,H").whole_tap("past", "steps/-/cache");

  EXPECT_EQ(plan.nodes[0].inputs.at("x")[0].name, "steps/000/in");
  EXPECT_EQ(plan.nodes[0].inputs.at("x")[0].axes, "N,H");
  EXPECT_EQ(plan.nodes[0].inputs.at("past")[0].name, "steps/-/cache");
}

TEST_F(Writer, WeightsJoinTheirPublishedNames) {
  writer.node("n", "a").weight("w", {"gate", "up"}, "2F,H").bank("e", {"e.{}.w1"}, "F,H", 8);

  EXPECT_THAT(plan.weights.at("gate+up").published, ElementsAre("gate", "up"));
  EXPECT_EQ(plan.weights.at("gate+up").shape, (Shape{14, 5}));
  EXPECT_EQ(plan.weights.at("gate+up").members, 0);
  EXPECT_EQ(plan.weights.at("e.{}.w1").members, 8);
  EXPECT_EQ(plan.nodes[0].inputs.at("e")[0].kind, Operand::Kind::bank);
}

TEST_F(Writer, HistoryGrowsByTheTokensOfEachCall) {
  writer.history("cache/k", "k/out", "B,S,D", "", 0);
  AxisSizes decode = kSizes;
  decode['S'] = 1;
  writer.begin_call(1, "steps/001/", decode);
  writer.history("cache/k", "k/out", "B,S,D", "steps/000/cache/k", 3);

  const auto& parts = plan.histories.at("steps/001/cache/k");
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].tap, "steps/000/k/out");
  EXPECT_EQ(parts[0].first, 0);
  EXPECT_EQ(parts[0].length, 3);
  EXPECT_EQ(parts[1].tap, "steps/001/k/out");
  EXPECT_EQ(parts[1].first, 3);
  EXPECT_EQ(parts[1].length, 1);
}

TEST_F(Writer, SettingsReachEveryNodeOfTheirComponentAndNoOther) {
  writer.node("router", "a").param("top_k", int64_t{4});
  writer.node("linear", "b");
  writer.node("router", "c");

  writer.apply({{"router.top_k", int64_t{2}}});

  EXPECT_EQ(std::get<int64_t>(plan.nodes[0].params.at("top_k")), 2);
  EXPECT_TRUE(plan.nodes[1].params.empty());
  EXPECT_EQ(std::get<int64_t>(plan.nodes[2].params.at("top_k")), 2);
}

}  // namespace
}  // namespace parity

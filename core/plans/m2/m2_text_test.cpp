// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The plan of MiniMax-M2: what differs from M3.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/systems.hpp"
#include "core/plans/tiny/tiny_m3.hpp"

namespace parity {
namespace {

Plan tiny(const std::string& profile) {
  return build_plan("minimax_m2", tiny_config("minimax_m2"), two_calls(profile));
}

const std::string kLayer = "steps/000/text/layers/01/";

TEST(M2Text, NormsOfQueriesAndKeysSpanAllHeads) {
  const Plan plan = tiny("hf-5.1.0");

  EXPECT_EQ(plan.tap(kLayer + "attention/q_norm/out").shape, (Shape{2, 5, 4 * 8}));
  EXPECT_EQ(plan.tap(kLayer + "attention/k_norm/out").shape, (Shape{2, 5, 2 * 8}));
  EXPECT_EQ(plan.weights.at("model.layers.1.self_attn.q_norm.weight").shape, (Shape{32}));
  EXPECT_EQ(plan.weights.at("model.layers.1.self_attn.k_norm.weight").shape, (Shape{16}));
  EXPECT_EQ(plan.tap(kLayer + "attention/q_rope/out").shape, (Shape{2, 4, 5, 8}));
}

TEST(M2Text, EveryNormIsPlainAndRoundsTwice) {
  const Plan plan = tiny("hf-5.1.0");

  EXPECT_EQ(plan.rounding.at("rms_norm.normalised"), Precision::working);
  for (const Node& node : plan.nodes) {
    const bool norm = node.component == "rms_norm";
    EXPECT_TRUE(!norm || std::get<double>(node.params.at("gain_offset")) == 0.0) << node.prefix;
  }
}

TEST(M2Text, EveryLayerHasExpertsWithoutSharedOneAndScaling) {
  const Plan plan = tiny("hf-5.1.0");

  for (const char* layer : {"00", "01"}) {
    const Node& combine = node_at(plan, fmt::format("steps/000/text/layers/{}/moe", layer));
    EXPECT_EQ(combine.inputs.count("shared"), 0U);
    EXPECT_EQ(std::get<double>(combine.params.at("scaling")), 1.0);
  }
  const Node& experts = node_at(plan, kLayer + "moe/experts");
  EXPECT_EQ(std::get<double>(experts.params.at("linear_offset")), 0.0);
  EXPECT_EQ(plan.weights.at(experts.inputs.at("gate_up").front().name).published.front(),
            "model.layers.1.block_sparse_moe.experts.{}.w1.weight");
}

TEST(M2Text, HalfOfAHeadRotatesFrom518On) {
  for (const char* whole : {"hf-5.1.0", "hf-5.12.0", "hf-5.17.0", "hf-5.12.0-f64"})
    EXPECT_EQ(tiny(whole).tap("steps/000/text/rope/cos").shape, (Shape{2, 5, 8})) << whole;
  for (const char* half : {"hf-5.18.0", "hf-5.23.0"})
    EXPECT_EQ(tiny(half).tap("steps/000/text/rope/cos").shape, (Shape{2, 5, 4})) << half;
}

TEST(M2Text, AuxiliaryLossIsRoundedToTUntil516) {
  EXPECT_EQ(tiny("hf-5.15.0").rounding.count("router_aux_loss.mean"), 0U);
  EXPECT_EQ(tiny("hf-5.16.0").rounding.at("router_aux_loss.mean"), Precision::single);
  EXPECT_EQ(tiny("hf-5.23.0").rounding.at("router_aux_loss.column"), Precision::single);
}

TEST(M2Text, CachesGrowFromCallToCall) {
  const Plan plan = tiny("hf-5.1.0");

  EXPECT_EQ(plan.histories.at("steps/001/text/layers/01/cache/k").size(), 2U);
  EXPECT_EQ(plan.tap("steps/001/text/layers/01/cache/v").shape, (Shape{2, 2, 6, 8}));
}

}  // namespace
}  // namespace parity

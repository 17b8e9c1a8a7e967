// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The plan of a tiny MiniMax-M3 text decoder: shapes, published names, and what config and profile set.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/tiny/tiny_m3.hpp"

namespace parity {
namespace {

using ::testing::ElementsAre;

TEST(M3TextPlan, SelectionIsSharedIn512AndPerIndexHeadFrom513On) {
  const std::string at = "steps/001/text/layers/01/attention/indexer/";
  const Plan shared = build_m3_text_plan(tiny_m3(), two_calls("hf-5.12.0"));
  const Plan grouped = build_m3_text_plan(tiny_m3(), two_calls("hf-5.13.0"));

  // 6 keys in blocks of 2: J = 3, of which T = 2 are chosen.
  EXPECT_EQ(shared.tap(at + "block_scores").axes, "B,S,J");
  EXPECT_EQ(shared.tap(at + "block_scores").shape, (Shape{2, 1, 3}));
  EXPECT_EQ(shared.tap(at + "block_indices").shape, (Shape{2, 1, 2}));
  EXPECT_EQ(grouped.tap(at + "block_scores").axes, "B,X,S,J");
  EXPECT_EQ(grouped.tap(at + "block_indices").shape, (Shape{2, 2, 1, 2}));
  EXPECT_TRUE(std::get<bool>(node_at(grouped, "steps/001/text/layers/01/attention/indexer").params.at("per_group")));
}

TEST(M3TextPlan, FewerBlocksThanTheBudgetMakeAShorterList) {
  M3TextConfig config = tiny_m3();
  config.index_topk_blocks = 16;

  const Plan plan = build_m3_text_plan(config, two_calls());

  EXPECT_EQ(plan.tap("steps/000/text/layers/01/attention/indexer/block_indices").shape, (Shape{2, 5, 3}));
}

TEST(M3TextPlan, WidthsOfTheThreeMlpsAreTheirOwn) {
  const Plan plan = build_m3_text_plan(tiny_m3(), two_calls());
  const std::string layer = "steps/000/text/layers/01/moe/";

  EXPECT_EQ(plan.tap("steps/000/text/layers/00/mlp/gate_up/out").shape, (Shape{2, 5, 14}));
  EXPECT_EQ(plan.tap(layer + "shared/gate_up/out").shape, (Shape{10, 6}));
  EXPECT_EQ(plan.tap(layer + "experts/slot_activation").shape, (Shape{10, 2, 5}));
  EXPECT_EQ(plan.tap(layer + "router/indices").shape, (Shape{10, 2}));
}

TEST(M3TextPlan, PublishedNamesAreThoseOfTheCheckpoint) {
  const Plan plan = build_m3_text_plan(tiny_m3(), two_calls());
  const std::string moe = "language_model.model.layers.1.block_sparse_moe.";

  EXPECT_EQ(plan.weights.at("language_model.model.layers.0.self_attn.q_proj.weight").shape, (Shape{32, 6}));
  EXPECT_EQ(plan.weights.at("language_model.model.layers.1.self_attn.index_k_proj.weight").shape, (Shape{6, 6}));
  const WeightInfo& experts = plan.weights.at(moe + "experts.{}.w1.weight+" + moe + "experts.{}.w3.weight");
  EXPECT_THAT(experts.published,
              ElementsAre(moe + "experts.{}.w1.weight", moe + "experts.{}.w3.weight"));  // gate first
  EXPECT_EQ(experts.shape, (Shape{10, 6}));
  EXPECT_EQ(experts.members, 4);
  EXPECT_EQ(plan.weights.at(moe + "e_score_correction_bias").shape, (Shape{4}));
}

TEST(M3TextPlan, TiedHeadReadsTheEmbeddingTable) {
  M3TextConfig config = tiny_m3();
  const auto head = [&] {
    return node_at(build_m3_text_plan(config, two_calls()), "steps/000/text/lm_head").inputs.at("weight")[0].name;
  };

  EXPECT_EQ(head(), "language_model.lm_head.weight");
  config.tie_word_embeddings = true;
  EXPECT_EQ(head(), "language_model.model.embed_tokens.weight");
}

TEST(M3TextPlan, ParamsComeFromTheConfig) {
  M3TextConfig config = tiny_m3();
  config.routed_scaling_factor = 2.5;
  config.rms_norm_eps = 1e-5;
  config.index_local_blocks = 2;
  const Plan plan = build_m3_text_plan(config, two_calls());
  const std::string layer = "steps/000/text/layers/01/";

  EXPECT_EQ(std::get<double>(node_at(plan, layer + "moe").params.at("scaling")), 2.5);
  EXPECT_EQ(std::get<double>(node_at(plan, layer + "input_norm").params.at("eps")), 1e-5);
  EXPECT_EQ(std::get<double>(node_at(plan, layer + "attention/core").params.at("scale")), 1.0 / std::sqrt(8.0));
  EXPECT_EQ(std::get<int64_t>(node_at(plan, "steps/000/text/rope").params.at("rotary_width")), 4);
}

TEST(M3TextPlan, SdpaChangesEveryAttentionNodeAndTheRounding) {
  PlanRequest request = two_calls();
  request.attention = "sdpa";
  const Plan plan = build_m3_text_plan(tiny_m3(), request);

  for (const char* layer : {"00", "01", "02"}) {
    const Node& core = node_at(plan, std::string("steps/001/text/layers/") + layer + "/attention/core");
    EXPECT_FALSE(std::get<bool>(core.params.at("normalise_first"))) << layer;
  }
  EXPECT_EQ(plan.rounding.at("attention_dense.score"), Precision::single);
}

TEST(M3TextPlan, UnknownProfileOrAttentionIsRefused) {
  PlanRequest request = two_calls("hf-1.0");
  EXPECT_THROW(static_cast<void>(build_m3_text_plan(tiny_m3(), request)), Error);

  request = two_calls();
  request.attention = "flash";
  EXPECT_THROW(static_cast<void>(build_m3_text_plan(tiny_m3(), request)), Error);
}

}  // namespace
}  // namespace parity

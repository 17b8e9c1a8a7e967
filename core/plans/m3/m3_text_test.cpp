// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The plan of a tiny MiniMax-M3 text decoder: which nodes there are and how they are wired.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/tiny/tiny_m3.hpp"

namespace parity {
namespace {

std::map<std::string, int> count(const Plan& plan, int step, int layer) {
  std::map<std::string, int> result;
  for (const Node& node : plan.nodes) {
    if (node.step == step && node.layer == layer) ++result[node.component];
  }
  return result;
}

using Counts = std::map<std::string, int>;

TEST(M3TextPlan, DenseLayerHasEighteenNodes) {
  const Plan plan = build_m3_text_plan(tiny_m3(), two_calls());

  // Two layer norms and two head norms; q, k, v, o, gate_up, down; q and k rotated; k and v appended.
  EXPECT_EQ(count(plan, 0, 0), (Counts{{"rms_norm", 4},
                                       {"linear", 6},
                                       {"partial_rope", 2},
                                       {"cache_append", 2},
                                       {"attention_dense", 1},
                                       {"residual_add", 2},
                                       {"swiglu", 1}}));
}

TEST(M3TextPlan, SparseLayerAddsTheIndexer) {
  const Plan plan = build_m3_text_plan(tiny_m3(), two_calls());

  // The indexer's q and k: projected, normed, rotated, k appended. Experts: the router's and the shared expert's linears.
  EXPECT_EQ(count(plan, 0, 1), (Counts{{"rms_norm", 6},
                                       {"linear", 9},
                                       {"partial_rope", 4},
                                       {"cache_append", 3},
                                       {"index_block_scores", 1},
                                       {"index_select", 1},
                                       {"attention_block_sparse", 1},
                                       {"residual_add", 2},
                                       {"swiglu", 1},
                                       {"router", 1},
                                       {"moe_experts", 1},
                                       {"moe_combine", 1}}));
}

TEST(M3TextPlan, AttentionAndMlpAreChosenIndependently) {
  const Counts third = count(build_m3_text_plan(tiny_m3(), two_calls()), 0, 2);

  EXPECT_EQ(third.count("attention_dense"), 1U);
  EXPECT_EQ(third.count("moe_experts"), 1U);
  EXPECT_EQ(third.count("index_select"), 0U);
}

TEST(M3TextPlan, LossesOnlyWhereAsked) {
  const Plan plan = build_m3_text_plan(tiny_m3(), two_calls());

  EXPECT_EQ(count(plan, 0, -1), (Counts{{"token_embedding", 1},
                                        {"rotary_tables", 1},
                                        {"rms_norm", 1},
                                        {"linear", 1},
                                        {"router_aux_loss", 1},
                                        {"cross_entropy", 1}}));
  EXPECT_EQ(count(plan, 1, -1), (Counts{{"token_embedding", 1}, {"rotary_tables", 1}, {"rms_norm", 1}, {"linear", 1}}));
}

TEST(M3TextPlan, AuxLossTakesTheLogitsOfEveryExpertLayer) {
  const Plan plan = build_m3_text_plan(tiny_m3(), two_calls());
  const Node& aux = node_at(plan, "steps/000/");

  ASSERT_EQ(aux.component, "router_aux_loss");
  ASSERT_EQ(aux.inputs.at("logits").size(), 2U);
  EXPECT_EQ(aux.inputs.at("logits")[0].name, "steps/000/text/layers/01/moe/router/logits");
  EXPECT_EQ(aux.inputs.at("logits")[1].name, "steps/000/text/layers/02/moe/router/logits");
}

TEST(M3TextPlan, NoExpertLayerMeansNoAuxLoss) {
  M3TextConfig config = tiny_m3();
  config.mixture_of_experts = {false, false, false};

  const Counts outside = count(build_m3_text_plan(config, two_calls()), 0, -1);

  EXPECT_EQ(outside.count("router_aux_loss"), 0U);
  EXPECT_EQ(outside.at("cross_entropy"), 1);
}

TEST(M3TextPlan, EveryInputIsProducedBeforeItIsUsed) {
  const Plan plan = build_m3_text_plan(tiny_m3(), two_calls());

  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    for (const auto& [field, operands] : plan.nodes[i].inputs) {
      for (const Operand& operand : operands) {
        if (operand.kind != Operand::Kind::tap) {
          EXPECT_EQ(plan.weights.count(operand.name), 1U) << operand.name;
          continue;
        }
        EXPECT_LT(plan.tap(operand.name).producer, static_cast<int>(i)) << operand.name;
      }
    }
  }
}

TEST(M3TextPlan, EveryTapKnowsItsProducer) {
  const Plan plan = build_m3_text_plan(tiny_m3(), two_calls());
  std::set<std::string> produced;
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    for (const auto& [field, operand] : plan.nodes[i].outputs) {
      EXPECT_EQ(plan.tap(operand.name).producer, static_cast<int>(i));
      EXPECT_TRUE(produced.insert(operand.name).second) << operand.name << " is assigned twice";
    }
  }

  for (const auto& [name, info] : plan.taps) {
    const bool token = name.find("/tokens/") != std::string::npos;
    EXPECT_EQ(produced.count(name), token ? 0U : 1U) << name;
    EXPECT_EQ(info.producer == -1, token) << name;
  }
}

TEST(M3TextPlan, TokensOfACallAreItsInputs) {
  const Plan plan = build_m3_text_plan(tiny_m3(), two_calls());

  EXPECT_EQ(plan.tap("steps/000/tokens/labels").shape, (Shape{2, 5}));
  EXPECT_EQ(plan.tap("steps/001/tokens/input_ids").shape, (Shape{2, 1}));
  EXPECT_EQ(plan.tap("steps/001/tokens/attention_mask").shape, (Shape{2, 6}));
  EXPECT_EQ(plan.taps.count("steps/001/tokens/labels"), 0U);
}

TEST(M3TextPlan, ResidualStreamRunsThroughTheLayers) {
  const Plan plan = build_m3_text_plan(tiny_m3(), two_calls());
  const std::string layer = "steps/000/text/layers/01/";
  const Node& middle = node_at(plan, layer + "attention_residual");
  const Node& last = node_at(plan, "steps/000/text/layers/01");

  EXPECT_EQ(middle.inputs.at("residual")[0].name, "steps/000/text/layers/00/out");
  EXPECT_EQ(middle.inputs.at("branch")[0].name, layer + "attention/o_proj/out");
  EXPECT_EQ(last.inputs.at("residual")[0].name, layer + "attention_residual/out");
  EXPECT_EQ(last.inputs.at("branch")[0].name, layer + "moe/out");
  EXPECT_EQ(node_at(plan, "steps/000/text/final_norm").inputs.at("x")[0].name, "steps/000/text/layers/02/out");
}

TEST(M3TextPlan, LayerInputsRepeatTheStreamInFront) {
  const Plan plan = build_m3_text_plan(tiny_m3(), two_calls());

  EXPECT_EQ(plan.aliases.size(), 6U);
  EXPECT_EQ(plan.aliases.at("steps/000/text/layers/00/in"), "steps/000/text/embed/out");
  EXPECT_EQ(plan.aliases.at("steps/001/text/layers/02/in"), "steps/001/text/layers/01/out");
}

TEST(M3TextPlan, KeysAreCachedAfterNormAndRotationAndValuesRaw) {
  const Plan plan = build_m3_text_plan(tiny_m3(), two_calls());
  const std::string layer = "steps/000/text/layers/00/";

  EXPECT_EQ(node_at(plan, layer + "cache/k").inputs.at("fresh")[0].name, layer + "attention/k_rope/out");
  EXPECT_EQ(node_at(plan, layer + "cache/v").inputs.at("fresh")[0].name, layer + "attention/v_proj/out");
  EXPECT_EQ(node_at(plan, layer + "cache/v").inputs.at("fresh")[0].axes, "B,G,S,D");  // split and transposed
  EXPECT_EQ(node_at(plan, layer + "cache/k").inputs.count("past"), 0U);
  EXPECT_EQ(node_at(plan, "steps/001/text/layers/00/cache/k").inputs.at("past")[0].name, layer + "cache/k");
  EXPECT_EQ(plan.tap("steps/001/text/layers/00/cache/k").shape, (Shape{2, 2, 6, 8}));
}

TEST(M3TextPlan, HistoriesListThePartsOfEveryCall) {
  const Plan plan = build_m3_text_plan(tiny_m3(), two_calls());
  const auto& parts = plan.histories.at("steps/001/text/layers/01/cache/index_k");

  EXPECT_EQ(plan.histories.size(), 14U);  // two calls of k and v in three layers and index_k in one
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].tap, "steps/000/text/layers/01/attention/indexer/k_rope/out");
  EXPECT_EQ(parts[0].length, 5);
  EXPECT_EQ(parts[1].first, 5);
  EXPECT_EQ(parts[1].length, 1);
}

/// 5.12.0 takes the largest score over any number of index heads; in later releases each serves its own query heads.
TEST(M3TextPlan, IndexHeadsMustDivideTheQueryHeadsOnlyWhereEachHasAList) {
  M3TextConfig config = tiny_m3();
  config.index_n_heads = 3;
  PlanRequest request = two_calls();

  request.profile = "hf-5.12.0";
  EXPECT_EQ(build_m3_text_plan(config, request).tap("steps/000/text/layers/01/attention/indexer/scores").shape[1], 3);
  request.profile = "hf-5.13.0";
  EXPECT_THROW((void)build_m3_text_plan(config, request), Error);
  config.sparse_attention.assign(config.sparse_attention.size(), false);
  EXPECT_NO_THROW((void)build_m3_text_plan(config, request));
}

}  // namespace
}  // namespace parity

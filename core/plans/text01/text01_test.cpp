// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The plan of a tiny MiniMax-Text-01: which nodes there are and how they are wired.
#include "core/plans/text01/text01.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/tiny/tiny_m3.hpp"

namespace parity {
namespace {

using Counts = std::map<std::string, int>;
using ::testing::Contains;
using ::testing::Key;
using ::testing::Not;

Plan tiny(bool stored = false, DType working = DType::bf16, const std::string& profile = "hf-4.56.2") {
  PlanRequest request = two_calls(profile);
  request.stored_decays = stored;
  request.working = working;
  return build_text01_plan(parse_text01_config(tiny_config("minimax_text_01")), request);
}

Counts count(const Plan& plan, const std::string& prefix) {
  Counts result;
  for (const Node& node : plan.nodes) {
    if (node.prefix.starts_with(prefix)) ++result[node.component];
  }
  return result;
}

std::string input_of(const Plan& plan, const std::string& prefix, const std::string& field) {
  return node_at(plan, prefix).inputs.at(field).front().name;
}

double factor(const Plan& plan, const std::string& prefix, const std::string& name) {
  return std::get<double>(node_at(plan, prefix).params.at(name));
}

TEST(Text01Plan, LinearLayerHasNoRopeAndNoKeyValueCache) {
  EXPECT_EQ(count(tiny(), "steps/000/text/layers/00/"), (Counts{{"rms_norm", 3},
                                                                {"linear", 4},
                                                                {"silu", 1},
                                                                {"lightning_split", 1},
                                                                {"lightning_mask", 1},
                                                                {"lightning_attention", 1},
                                                                {"sigmoid_gate", 1},
                                                                {"residual_add", 1},
                                                                {"softmax_router", 1},
                                                                {"moe_experts", 1}}));
}

TEST(Text01Plan, FullLayerIsPlainGroupedAttention) {
  EXPECT_EQ(count(tiny(), "steps/000/text/layers/01/attention/"),
            (Counts{{"linear", 4}, {"partial_rope", 2}, {"attention_dense", 1}}));
}

TEST(Text01Plan, ResidualIsTakenAfterTheNorm) {
  const Plan plan = tiny();

  EXPECT_EQ(input_of(plan, "steps/000/text/layers/00/attention_residual", "residual"),
            "steps/000/text/layers/00/input_norm/out");
  EXPECT_EQ(input_of(plan, "steps/000/text/layers/00", "residual"), "steps/000/text/layers/00/post_attention_norm/out");
}

TEST(Text01Plan, FactorsFollowTheKindOfLayer) {
  const Plan plan = tiny();

  EXPECT_EQ(factor(plan, "steps/000/text/layers/00/attention_residual", "residual_factor"), 1.5);
  EXPECT_EQ(factor(plan, "steps/000/text/layers/00/attention_residual", "branch_factor"), 0.875);
  EXPECT_EQ(factor(plan, "steps/000/text/layers/01/attention_residual", "residual_factor"), 3.5);
  EXPECT_EQ(factor(plan, "steps/000/text/layers/01/attention_residual", "branch_factor"), 0.75);
  EXPECT_EQ(factor(plan, "steps/000/text/layers/01", "residual_factor"), 2.25);
  EXPECT_EQ(factor(plan, "steps/000/text/layers/01", "branch_factor"), 0.625);
}

TEST(Text01Plan, LightningNormKeepsItsOwnEpsilon) {
  const Plan plan = tiny();

  EXPECT_EQ(factor(plan, "steps/000/text/layers/00/attention/norm", "eps"), 1e-6);
  EXPECT_EQ(factor(plan, "steps/000/text/layers/00/input_norm", "eps"), 1e-5);
}

TEST(Text01Plan, GateFollowsTheNorm) {
  const Plan plan = tiny();

  EXPECT_EQ(input_of(plan, "steps/000/text/layers/00/attention/norm", "x"),
            "steps/000/text/layers/00/attention/core/out");
  EXPECT_EQ(input_of(plan, "steps/000/text/layers/00/attention/gated", "x"),
            "steps/000/text/layers/00/attention/norm/out");
}

TEST(Text01Plan, PaddingIsMaskedInThePrefillOnlyAndOnlyInValues) {
  const Plan plan = tiny();

  EXPECT_EQ(input_of(plan, "steps/000/text/layers/00/", "v"), "steps/000/text/layers/00/attention/v_masked/out");
  EXPECT_EQ(input_of(plan, "steps/000/text/layers/00/", "k"), "steps/000/text/layers/00/attention/k/out");
  EXPECT_EQ(input_of(plan, "steps/001/text/layers/00/", "v"), "steps/001/text/layers/00/attention/v/out");
  EXPECT_THAT(count(plan, "steps/001/"), Not(Contains(Key("lightning_mask"))));
}

TEST(Text01Plan, From515OnPaddingIsMaskedBeforeTheSplitInCallsOfSeveralTokens) {
  const std::string at = "text/layers/00/attention/";
  for (const char* profile : {"hf-5.15.0", "hf-5.24.0"}) {
    const Plan plan = tiny(false, DType::bf16, profile);

    EXPECT_EQ(input_of(plan, "steps/000/" + at, "qkv"), "steps/000/" + at + "qkv_masked/out") << profile;
    EXPECT_EQ(input_of(plan, "steps/000/text/layers/00/", "v"), "steps/000/" + at + "v/out");
    EXPECT_EQ(input_of(plan, "steps/001/" + at, "qkv"), "steps/001/" + at + "qkv_activation/out");
  }
  EXPECT_EQ(input_of(tiny(false, DType::bf16, "hf-5.14.1"), "steps/000/" + at, "qkv"),
            "steps/000/" + at + "qkv_activation/out");
}

TEST(Text01Plan, RoutingWeightsAreBinary32From50On) {
  const std::string weights = "steps/000/text/layers/00/moe/router/weights";

  EXPECT_EQ(tiny().tap(weights).type, TapType::working);
  for (const char* profile : {"hf-5.0.0", "hf-5.6.0", "hf-5.24.0"})
    EXPECT_EQ(tiny(false, DType::bf16, profile).tap(weights).type, TapType::single) << profile;
}

TEST(Text01Plan, StateInFrontOfACallIsTheOneBehindTheCallBefore) {
  const Plan plan = tiny();
  const Node& first = node_at(plan, "steps/000/text/layers/00/");
  const Node& second = node_at(plan, "steps/001/text/layers/00/");

  EXPECT_EQ(first.inputs.count("past"), 0U);
  EXPECT_EQ(input_of(plan, second.prefix, "past"), first.outputs.at("state").name);
  EXPECT_EQ(second.outputs.count("intra"), 0U);  // computed token by token
}

TEST(Text01Plan, StatesAreRecordedPerBlockOfThePrefillAndPerLaterToken) {
  const Plan plan = tiny();

  EXPECT_EQ(plan.tap("steps/000/text/layers/00/attention/block_states").shape, (Shape{4, 2, 4, 4, 4}));  // 2 + 2 + 1
  EXPECT_EQ(plan.tap("steps/001/text/layers/00/attention/block_states").shape, (Shape{2, 2, 4, 4, 4}));
}

TEST(Text01Plan, WholeHeadRotatesWhateverRotaryDimSays) {
  EXPECT_EQ(std::get<int64_t>(node_at(tiny(), "steps/000/text/rope").params.at("rotary_width")), 4);
}

TEST(Text01Plan, DecayTablesBelongToTheModel) {
  const Plan plan = tiny();

  EXPECT_EQ(count(plan, "tables/"), (Counts{{"lightning_tables", 2}}));  // one per linear layer for any number of calls
  EXPECT_EQ(input_of(plan, "steps/001/text/layers/02/", "key_decay"), "tables/text/layers/02/attention/key_decay");
  EXPECT_EQ(std::get<int64_t>(node_at(plan, "tables/text/layers/02/attention").params.at("layer")), 2);
}

TEST(Text01Plan, StoredDecayTablesAreReadExceptInBinary64Captures) {
  const std::string name = "model.layers.2.self_attn.diagonal_decay";

  EXPECT_EQ(input_of(tiny(true), "tables/text/layers/02/attention", "stored_diagonal_decay"), name);
  EXPECT_THAT(tiny(false).weights, Not(Contains(Key(name))));
  EXPECT_THAT(tiny(true, DType::f64).weights, Not(Contains(Key(name))));  // rebuilt in binary64
}

TEST(Text01Plan, RoutingWeightsAreRoundedToT) {
  EXPECT_EQ(tiny().tap("steps/000/text/layers/00/moe/router/weights").type, TapType::working);
  EXPECT_EQ(tiny().tap("steps/000/text/layers/00/moe/router/scores").type, TapType::single);
}

TEST(Text01Plan, OriginalRotatesRotaryDimWithTablesInBinary32) {
  const Plan plan = tiny(false, DType::bf16, "original");

  EXPECT_EQ(std::get<int64_t>(node_at(plan, "steps/000/text/rope").params.at("rotary_width")), 2);
  EXPECT_EQ(plan.tap("steps/000/text/rope/cos").type, TapType::single);
  EXPECT_EQ(plan.tap("steps/000/text/layers/01/attention/q_rope/out").type, TapType::working);
}

TEST(Text01Plan, OriginalKeepsStateAndDecaysInBinary32) {
  const Plan plan = tiny(false, DType::bf16, "original");

  EXPECT_EQ(plan.tap("steps/000/text/layers/00/cache/state").type, TapType::single);
  EXPECT_EQ(plan.tap("steps/000/text/layers/00/attention/core/out").type, TapType::working);
  EXPECT_EQ(plan.tap("tables/text/layers/00/attention/query_decay").type, TapType::single);
  EXPECT_EQ(factor(plan, "tables/text/layers/00/attention", "depth_epsilon"), 0.0);
  EXPECT_EQ(tiny().tap("steps/000/text/layers/00/cache/state").type, TapType::working);
}

TEST(Text01Plan, EmptyLayerZeroShortensTheMaskOfLaterCalls) {
  const auto short_mask = [](const Plan& plan, const std::string& call) {
    return std::get<bool>(
        node_at(plan, "steps/" + call + "/text/layers/01/attention/core").params.at("first_slot_masks"));
  };
  nlohmann::json full_first = tiny_config("minimax_text_01");
  full_first["layer_types"] = {"full_attention", "full_attention", "linear_attention"};

  EXPECT_FALSE(short_mask(tiny(), "000"));
  EXPECT_TRUE(short_mask(tiny(), "001"));
  EXPECT_FALSE(short_mask(tiny(false, DType::bf16, "original"), "001"));
  EXPECT_FALSE(short_mask(build_text01_plan(parse_text01_config(full_first), two_calls("hf-4.56.2")), "001"));
}

TEST(Text01Plan, RefusesAChunkOnACacheWithoutKeysInLayerZero) {
  PlanRequest request = two_calls("hf-4.56.2");
  request.calls[1].tokens = 2;
  request.calls[1].keys = 7;

  EXPECT_THROW(static_cast<void>(build_text01_plan(parse_text01_config(tiny_config("minimax_text_01")), request)),
               Error);
}

}  // namespace
}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The plan of a tiny MiniMax-M3 as NeMo Automodel computes it.
#include "core/plans/nemo/nemo_m3.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/plans/systems.hpp"
#include "core/plans/tiny/tiny_m3.hpp"

namespace parity {
namespace {

using ::testing::HasSubstr;

const std::string kNemoLayer = "steps/000/text/layers/01/";

Plan tiny_nemo(const std::string& profile = "nemo", bool mask = true) {
  PlanRequest request;
  request.profile = profile;
  Call call{"000", 2, 5, 5};
  call.mask = mask;
  request.calls = {call};
  return build_plan("minimax_m3_vl", tiny_config("minimax_m3_vl"), request);
}

TEST(NemoM3Plan, HasNoCacheAndTheWeightInsideTheExperts) {
  const Plan plan = tiny_nemo();

  EXPECT_TRUE(plan.histories.empty());
  EXPECT_EQ(node_at(plan, kNemoLayer + "moe/experts").component, "moe_experts_preweighted");
  EXPECT_EQ(plan.tap(kNemoLayer + "moe/experts/sum").type, TapType::single);
  EXPECT_EQ(plan.tap(kNemoLayer + "moe/router/weights").type, TapType::working);
  EXPECT_EQ(plan.tap(kNemoLayer + "attention/indexer/block_mask").type, TapType::flag);
}

TEST(NemoM3Plan, RouterWeightIsRoundedUpTo06AndKeptFrom07On) {
  const std::string gate = "language_model.model.layers.1.block_sparse_moe.gate.weight";

  EXPECT_EQ(tiny_nemo("nemo").weights.at(gate).held, Held::working);
  EXPECT_EQ(tiny_nemo("nemo-0.7").weights.at(gate).held, Held::single);
}

TEST(NemoM3Plan, WithoutMaskAllTokensAreReal) {
  const Plan plan = tiny_nemo("nemo", false);

  EXPECT_EQ(plan.taps.count("steps/000/tokens/attention_mask"), 0U);
  EXPECT_EQ(node_at(plan, kNemoLayer + "attention/core").inputs.count("mask"), 0U);
}

/// The message of the Error that the plan builder throws for the request.
std::string refusal(const PlanRequest& request, const nlohmann::json& config = tiny_config("minimax_m3_vl")) {
  try {
    static_cast<void>(build_plan("minimax_m3_vl", config, request));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(NemoM3Plan, CallsThatNeedACacheAreRefused) {
  PlanRequest request;
  request.profile = "nemo";
  request.calls = {{"000", 2, 1, 6}};

  EXPECT_THAT(refusal(request), HasSubstr("profile nemo has no cache"));
}

/// A request with batches of 2 x 5 and 1 x 3 tokens on two processes.
PlanRequest two_processes(Split split) {
  PlanRequest request;
  request.profile = "nemo";
  request.calls = {{"000", 2, 5, 5}, {"001", 1, 3, 3}};
  request.split = split;
  request.processes = 2;
  return request;
}

TEST(NemoM3Processes, OwnExpertsAndSeeAllTokens) {
  const Plan plan = build_plan("minimax_m3_vl", tiny_config("minimax_m3_vl"), two_processes(Split::experts));
  const std::string at = "ranks/01/steps/000/text/layers/01/moe/experts";
  const Node& experts = node_at(plan, at);

  EXPECT_EQ(plan.tap(at + "/gathered_in").shape, (Shape{13, 6}));
  EXPECT_EQ(std::get<int64_t>(experts.params.at("first_expert")), 2);
  EXPECT_EQ(std::get<int64_t>(experts.params.at("experts")), 2);
  EXPECT_EQ(plan.tap(at + "/sum").shape, (Shape{3, 6}));
  EXPECT_EQ(std::get<int64_t>(node_at(plan, at + "/sum").params.at("first_slot")), 10);
  EXPECT_EQ(node_at(plan, "ranks/01/steps/000/text/embed").inputs.at("ids").front().name, "steps/001/tokens/input_ids");
}

TEST(NemoM3Processes, FindWhatTheOthersHandThem) {
  const Plan plan = build_plan("minimax_m3_vl", tiny_config("minimax_m3_vl"), two_processes(Split::experts));

  for (size_t node = 0; node < plan.nodes.size(); ++node) {
    for (const auto& [field, operands] : plan.nodes[node].inputs) {
      for (const Operand& operand : operands) {
        if (operand.kind != Operand::Kind::tap) continue;
        EXPECT_LT(plan.tap(operand.name).producer, static_cast<int>(node)) << operand.name;
      }
    }
  }
}

TEST(NemoM3Processes, HoldTwoChunksOfAPaddedSequence) {
  nlohmann::json config = tiny_config("minimax_m3_vl");
  for (auto& type : config["text_config"]["layer_types"]) type = "minimax_m3_sparse";
  const Plan plan = build_plan("minimax_m3_vl", config, two_processes(Split::sequence));
  const std::string layer = "ranks/00/steps/000/text/layers/00/";

  EXPECT_EQ(plan.tap(layer + "attention/q_rope/out").shape, (Shape{2, 4, 4, 8}));  // 5 tokens: 4 chunks of 2
  EXPECT_EQ(plan.tap(layer + "attention/gathered_k").shape, (Shape{2, 2, 8, 8}));
  EXPECT_EQ(plan.tap("gathered/steps/000/text/lm_head/out").shape, (Shape{2, 5, 19}));
  EXPECT_EQ(plan.tap("ranks/01/steps/001/text/lm_head/out").shape, (Shape{1, 2, 19}));  // 3 tokens: 4 chunks of 1
}

TEST(NemoM3Processes, WhatNoRecordingShowsIsRefused) {
  EXPECT_THAT(refusal(two_processes(Split::sequence)), HasSubstr("dense attention"));
  PlanRequest request = two_processes(Split::experts);
  request.processes = 3;
  EXPECT_THAT(refusal(request), HasSubstr("2 calls and 3 processes"));
  request = two_processes(Split::experts);
  request.calls[0].training = true;
  EXPECT_THAT(refusal(request), HasSubstr("a single process"));
}

TEST(NemoM3Training, LoadsOfTheSecondBatchCountIntoTheBiasUpdate) {
  PlanRequest request;
  request.profile = "nemo";
  request.calls = {{"000", 2, 5, 5}};
  request.calls[0].bias_rate = 0.001;
  request.calls[0].second_batch = 1;
  request.calls[0].second_tokens = 7;
  const Plan plan = build_plan("minimax_m3_vl", tiny_config("minimax_m3_vl"), request);
  const auto& loads = node_at(plan, kNemoLayer + "moe/router/cumulative_load").inputs.at("loads");

  ASSERT_EQ(loads.size(), 2U);
  EXPECT_EQ(loads[0].name, kNemoLayer + "moe/router/expert_load");
  EXPECT_EQ(loads[1].name, "steps/000/second/text/layers/01/moe/router/expert_load");
  EXPECT_EQ(node_at(plan, "steps/000/second/text/embed").inputs.at("ids").front().name,
            "steps/000/tokens/second_input_ids");
  EXPECT_EQ(plan.tap("steps/000/tokens/second_input_ids").shape, (Shape{1, 7})) << "of its own length";
  EXPECT_EQ(plan.tap("steps/000/second/text/layers/01/moe/router/indices").shape.front(), 7);
  EXPECT_EQ(plan.tap(kNemoLayer + "moe/router/indices").shape.front(), 10);
}

}  // namespace
}  // namespace parity

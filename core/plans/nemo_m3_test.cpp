// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The plan of a tiny MiniMax-M3 as NeMo Automodel computes it.
#include "core/plans/nemo_m3.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/systems.hpp"
#include "core/plans/tiny_m3.hpp"

namespace parity {
namespace {

using testing::HasSubstr;

const std::string kLayer = "steps/000/text/layers/01/";

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
  EXPECT_EQ(node_at(plan, kLayer + "moe/experts").component, "moe_experts_preweighted");
  EXPECT_EQ(plan.tap(kLayer + "moe/experts/sum").type, TapType::single);
  EXPECT_EQ(plan.tap(kLayer + "moe/router/weights").type, TapType::working);
  EXPECT_EQ(plan.tap(kLayer + "attention/indexer/block_mask").type, TapType::flag);
}

TEST(NemoM3Plan, RouterWeightIsRoundedUpTo06AndKeptFrom07On) {
  const std::string gate = "language_model.model.layers.1.block_sparse_moe.gate.weight";

  EXPECT_EQ(tiny_nemo("nemo").weights.at(gate).held, Held::working);
  EXPECT_EQ(tiny_nemo("nemo-0.7").weights.at(gate).held, Held::single);
}

TEST(NemoM3Plan, WithoutMaskAllTokensAreReal) {
  const Plan plan = tiny_nemo("nemo", false);

  EXPECT_EQ(plan.taps.count("steps/000/tokens/attention_mask"), 0U);
  EXPECT_EQ(node_at(plan, kLayer + "attention/core").inputs.count("mask"), 0U);
}

TEST(NemoM3Plan, CallsThatNeedACacheAreRefused) {
  PlanRequest request;
  request.profile = "nemo";
  request.calls = {{"000", 2, 1, 6}};
  try {
    static_cast<void>(build_plan("minimax_m3_vl", tiny_config("minimax_m3_vl"), request));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("profile nemo has no cache"));
  }
}

}  // namespace
}  // namespace parity

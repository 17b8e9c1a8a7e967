// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/published_configs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/plans/systems.hpp"

namespace parity {
namespace {

using ::testing::HasSubstr;

Plan plan_of(const std::string& system, const std::vector<int64_t>& layers, const std::string& profile) {
  PlanRequest request;
  request.profile = profile;
  request.calls = {{"000", 1, 2304, 2304, false, false, {}}};
  return build_plan(system, some_layers(published_config(system), layers, 512), request);
}

TEST(PublishedConfig, LayersOfM3KeepTheirKind) {
  const Plan plan = plan_of("minimax_m3_vl", {0, 3}, "hf-5.13.0");

  EXPECT_TRUE(plan.taps.contains("steps/000/text/layers/00/mlp/down/out"));
  EXPECT_FALSE(plan.taps.contains("steps/000/text/layers/00/attention/indexer/block_indices"));
  EXPECT_TRUE(plan.taps.contains("steps/000/text/layers/01/attention/indexer/block_indices"));
  EXPECT_EQ(plan.tap("steps/000/text/layers/01/moe/router/logits").shape, (Shape{2304, 128}));
  EXPECT_EQ(plan.tap("steps/000/text/layers/01/attention/q_proj/out").shape, (Shape{1, 2304, 8192}));
  EXPECT_EQ(plan.tap("steps/000/text/lm_head/out").shape, (Shape{1, 2304, 512}));
}

TEST(PublishedConfig, M2HasItsSizes) {
  const Plan plan = plan_of("minimax_m2", {61}, "hf-5.18.0");

  EXPECT_EQ(plan.tap("steps/000/text/layers/00/moe/router/indices").shape, (Shape{2304, 8}));
  EXPECT_EQ(plan.tap("steps/000/text/layers/00/attention/q_proj/out").shape, (Shape{1, 2304, 6144}));
}

TEST(PublishedConfig, LayersThatDoNotExistAreRefused) {
  for (const int64_t layer : {int64_t{-1}, int64_t{60}}) {
    try {
      (void)some_layers(published_config("minimax_m3_vl"), {layer}, 512);
      FAIL() << layer;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_THAT(error.what(), HasSubstr("give 0..59"));
    }
  }
}

}  // namespace
}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/tiny/published_configs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/systems.hpp"
#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using ::testing::HasSubstr;

Plan plan_of(const std::string& name, const std::vector<int64_t>& layers, const std::string& profile) {
  PlanRequest request;
  request.profile = profile;
  request.calls = {{"000", 1, 2304, 2304, false, false, {}}};
  const auto config = some_layers(published_config(name), layers, 512);
  return build_plan(system_of(config).name, config, request);
}

TEST(PublishedConfig, LayersOfM3KeepTheirKind) {
  const Plan plan = plan_of("m3", {0, 3}, "hf-5.13.0");

  EXPECT_TRUE(plan.taps.contains("steps/000/text/layers/00/mlp/down/out"));
  EXPECT_FALSE(plan.taps.contains("steps/000/text/layers/00/attention/indexer/block_indices"));
  EXPECT_TRUE(plan.taps.contains("steps/000/text/layers/01/attention/indexer/block_indices"));
  EXPECT_EQ(plan.tap("steps/000/text/layers/01/moe/router/logits").shape, (Shape{2304, 128}));
  EXPECT_EQ(plan.tap("steps/000/text/layers/01/attention/q_proj/out").shape, (Shape{1, 2304, 8192}));
  EXPECT_EQ(plan.tap("steps/000/text/lm_head/out").shape, (Shape{1, 2304, 512}));
}

TEST(PublishedConfig, M2HasItsSizes) {
  const Plan plan = plan_of("m2", {61}, "hf-5.18.0");

  EXPECT_EQ(plan.tap("steps/000/text/layers/00/moe/router/indices").shape, (Shape{2304, 8}));
  EXPECT_EQ(plan.tap("steps/000/text/layers/00/attention/q_proj/out").shape, (Shape{1, 2304, 6144}));
}

TEST(PublishedConfig, EveryEighthLayerOfText01IsOfSoftmaxAttention) {
  const Plan plan = plan_of("text01", {6, 7}, "hf-4.56.2");

  EXPECT_EQ(plan.tap("steps/000/text/layers/00/cache/state").shape, (Shape{1, 64, 128, 128}));
  EXPECT_EQ(plan.tap("steps/000/text/layers/01/cache/k").shape, (Shape{1, 8, 2304, 128}));
}

TEST(PublishedConfig, LayersThatDoNotExistAreRefused) {
  for (const int64_t layer : {int64_t{-1}, int64_t{60}}) {
    EXPECT_THAT(refusal_of(ErrorCode::usage, [&] { return some_layers(published_config("m3"), {layer}, 512); }),
                HasSubstr("use 0..59"));
  }
}

TEST(PublishedConfig, OfAnotherModelIsRefused) {
  EXPECT_THAT(refusal_of(ErrorCode::usage, [] { return published_config("m4"); }), HasSubstr("use m3, m2, text01"));
}

}  // namespace
}  // namespace parity

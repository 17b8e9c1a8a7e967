// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The plan of a tiny MiniMax-M3 with images and videos: shapes, published names, what the releases change.
#include "core/plans/m3/m3_vision.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/systems.hpp"
#include "core/plans/tiny/tiny_m3.hpp"

namespace parity {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSystem = "minimax_m3_vl";
const std::string kImage = "steps/000/vision/image/";

Plan tiny_plan(const std::string& profile = "hf-5.12.0") {
  return build_plan(kSystem, tiny_config(kSystem), two_calls_with_media(profile));
}

TEST(M3VisionPlan, MergesFourPatchesIntoOneRowOfTheText) {
  const Plan plan = tiny_plan();

  EXPECT_EQ(plan.tap(kImage + "pixel_values").shape, (Shape{8, 24}));
  EXPECT_EQ(plan.tap(kImage + "pixel_values").type, TapType::single);
  EXPECT_EQ(plan.tap(kImage + "grid_thw").shape, (Shape{2, 3}));
  EXPECT_EQ(plan.tap(kImage + "patch_embed/out").shape, (Shape{8, 16}));
  EXPECT_EQ(plan.tap(kImage + "rope/cos").shape, (Shape{8, 6}));
  EXPECT_EQ(plan.tap(kImage + "projector/linear_2/out").shape, (Shape{8, 6}));
  EXPECT_EQ(plan.tap(kImage + "merger/in").shape, (Shape{2, 24}));
  EXPECT_EQ(plan.tap(kImage + "merger/linear_2/out").shape, (Shape{2, 6}));
  EXPECT_EQ(plan.tap("steps/000/splice/out").shape, (Shape{2, 5, 6}));
}

TEST(M3VisionPlan, SpliceFeedsTheFirstLayerOfTheCallThatHasMedia) {
  const Plan plan = tiny_plan();

  EXPECT_EQ(plan.aliases.at("steps/000/text/layers/00/in"), "steps/000/splice/out");
  EXPECT_EQ(plan.aliases.at("steps/001/text/layers/00/in"), "steps/001/text/embed/out");
  EXPECT_EQ(plan.aliases.at(kImage + "layers/00/in"), kImage + "pre_norm/out");
  EXPECT_EQ(plan.taps.count("steps/001/splice/out"), 0U);
  const Node& splice = node_at(plan, "steps/000/splice");
  EXPECT_EQ(splice.inputs.at("video")[0].name, "steps/000/vision/video/merger/linear_2/out");
  EXPECT_EQ(std::get<int64_t>(splice.params.at("image_token")), 17);
  EXPECT_EQ(std::get<int64_t>(splice.params.at("video_token")), 18);
}

TEST(M3VisionPlan, PublishedNamesAreThoseOfTheCheckpoint) {
  const Plan plan = tiny_plan();
  const std::string layer = "vision_tower.vision_model.encoder.layers.0.";

  EXPECT_EQ(plan.weights.at("vision_tower.vision_model.embeddings.patch_embedding.weight").shape,
            (Shape{16, 3, 2, 2, 2}));
  EXPECT_EQ(plan.weights.at("vision_tower.vision_model.pre_layrnorm.bias").shape, (Shape{16}));
  EXPECT_EQ(plan.weights.at(layer + "self_attn.out_proj.weight").shape, (Shape{16, 16}));
  EXPECT_EQ(plan.weights.at(layer + "self_attn.q_proj.bias").shape, (Shape{16}));
  EXPECT_EQ(plan.weights.at(layer + "mlp.fc1.weight").shape, (Shape{9, 16}));
  EXPECT_EQ(plan.weights.at("multi_modal_projector.linear_1.weight").shape, (Shape{7, 16}));
  EXPECT_EQ(plan.weights.at("patch_merge_mlp.linear_1.weight").shape, (Shape{7, 24}));
  EXPECT_EQ(plan.weights.at("patch_merge_mlp.linear_2.bias").shape, (Shape{6}));
}

TEST(M3VisionPlan, HeadsOfTheTowerAreItsOwn) {
  const Plan plan = tiny_plan();
  const Node& rope = node_at(plan, kImage + "layers/00/attention/q_rope");

  EXPECT_EQ(plan.sizes_of(rope).at('A'), 2);
  EXPECT_EQ(plan.sizes_of(rope).at('D'), 8);
  EXPECT_EQ(plan.sizes_of(node_at(plan, "steps/000/text/layers/00/attention/q_rope")).at('A'), 4);
  EXPECT_EQ(std::get<double>(node_at(plan, kImage + "layers/00/attention/core").params.at("scale")),
            1.0 / std::sqrt(8.0));
}

TEST(M3VisionPlan, Release517RotatesFrameAndRowOverTheWholeHead) {
  const auto coordinates = [](const Plan& plan) {
    return std::get<int64_t>(node_at(plan, kImage + "rope").params.at("coordinates"));
  };

  EXPECT_EQ(coordinates(tiny_plan("hf-5.16.1")), 3);
  EXPECT_EQ(coordinates(tiny_plan("hf-5.17.0")), 2);
  EXPECT_EQ(coordinates(tiny_plan("hf-5.18.0")), 3);
  EXPECT_EQ(tiny_plan("hf-5.17.0").tap(kImage + "rope/cos").shape, (Shape{8, 8}));
}

TEST(M3VisionPlan, Release523AttendsWithinEachMediumAndDropsTheBatchAxis) {
  const std::string core = kImage + "layers/00/attention/core";
  const Plan whole = tiny_plan("hf-5.22.0");
  const Plan own = tiny_plan("hf-5.23.0");

  EXPECT_EQ(node_at(whole, core).params.count("per_medium"), 0U);
  EXPECT_TRUE(std::get<bool>(node_at(own, core).params.at("per_medium")));
  EXPECT_EQ(whole.tap(core + "/out").shape, (Shape{1, 8, 16}));
  EXPECT_EQ(own.tap(core + "/out").shape, (Shape{8, 16}));
  EXPECT_EQ(own.tap(kImage + "layers/00/out").shape, (Shape{1, 8, 16}));
}

TEST(M3VisionPlan, TheTowerMayRunAlone) {
  PlanRequest request;
  request.calls = {{"000", 0, 0, 0, false, false, {{"image", 8, 2}}}};
  const Plan plan = build_plan(kSystem, tiny_config(kSystem), request);

  EXPECT_EQ(plan.nodes.back().prefix, kImage + "merger/linear_2");
  EXPECT_EQ(plan.taps.count("steps/000/tokens/input_ids"), 0U);
}

TEST(M3VisionPlan, WhatNoCallCanBeIsRefused) {
  PlanRequest broken = two_calls_with_media();
  broken.calls[0].media[0].patches = 7;
  PlanRequest mixed = two_calls_with_media();
  mixed.calls[1].tokens = 0;
  const auto refusal = [](const PlanRequest& request) {
    try {
      static_cast<void>(build_plan(kSystem, tiny_config(kSystem), request));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };

  EXPECT_THAT(refusal(broken), HasSubstr("vision/image/pixel_values has 7 patches; expected a multiple of 4"));
  EXPECT_THAT(refusal(mixed), HasSubstr("1 of 2 calls run only the vision tower"));
  EXPECT_THROW(static_cast<void>(build_m3_text_plan(tiny_m3(), two_calls_with_media())), Error);
}

}  // namespace
}  // namespace parity

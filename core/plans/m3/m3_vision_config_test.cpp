// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The vision half of a config.json: defaults, aliases and guards.
#include "core/plans/m3/m3_vision_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using ::testing::HasSubstr;

M3VisionConfig parsed(const char* text) { return parse_m3_vision_config(nlohmann::json::parse(text)); }

std::string refusal(const char* text, ErrorCode code = ErrorCode::schema) {
  return refusal_of(code, [&] { return parsed(text); });
}

TEST(M3VisionConfig, DefaultsAreThePublishedTower) {
  const M3VisionConfig config = parsed("{}");

  EXPECT_EQ(config.hidden_size, 1280);
  EXPECT_EQ(config.intermediate_size, 5120);
  EXPECT_EQ(config.num_hidden_layers, 32);
  EXPECT_EQ(config.head_dim(), 80);
  EXPECT_EQ(config.patch_values(), 1176);
  EXPECT_EQ(config.merged_patches(), 4);
  EXPECT_EQ(config.layer_norm_eps, 1e-5);
  EXPECT_EQ(config.rope_theta, 1e4);
  EXPECT_EQ(config.projector_hidden_size, 6144);
  EXPECT_EQ(config.image_token, 200025);
  EXPECT_EQ(config.video_token, 200026);
}

TEST(M3VisionConfig, ThreeBandsOfEvenWidthRotate78Of80Channels) {
  EXPECT_EQ(parsed("{}").rotary_width(3), 78);
  EXPECT_EQ(parsed("{}").rotary_width(2), 80);
  EXPECT_EQ(parsed(R"({"vision_config": {"hidden_size": 40, "num_attention_heads": 2}})").rotary_width(3), 18);
}

TEST(M3VisionConfig, PlaceholderTokensHaveTwoNames) {
  EXPECT_EQ(parsed(R"({"image_token_id": 7, "video_token_index": 9})").image_token, 7);
  EXPECT_EQ(parsed(R"({"image_token_id": 7, "video_token_index": 9})").video_token, 9);
}

TEST(M3VisionConfig, ThetaOfRopeParametersWins) {
  EXPECT_EQ(parsed(R"({"vision_config": {"rope_theta": 5.0}})").rope_theta, 5.0);
  EXPECT_EQ(parsed(R"({"vision_config": {"rope_theta": 5.0, "rope_parameters": {"rope_theta": 6.0}}})").rope_theta,
            6.0);
}

TEST(M3VisionConfig, BothNamesOfTheThreeAxisRopeAreTaken) {
  for (const char* type : {"default", "axial"}) {
    const auto config = nlohmann::json{{"vision_config", {{"rope_parameters", {{"rope_type", type}}}}}};
    EXPECT_NO_THROW(static_cast<void>(parse_m3_vision_config(config))) << type;
  }
}

TEST(M3VisionConfig, WhatThePackageWouldComputeOtherwiseIsRefused) {
  EXPECT_THAT(refusal(R"({"vision_config": {"hidden_act": "quick_gelu"}})", ErrorCode::unsupported),
              HasSubstr("'vision_config.hidden_act' is \"quick_gelu\""));
  EXPECT_THAT(refusal(R"({"vision_config": {"rope_parameters": {"rope_type": "yarn"}}})", ErrorCode::unsupported),
              HasSubstr("rope_type' is \"yarn\""));
}

TEST(M3VisionConfig, SizesThatFitNothingAreRefused) {
  EXPECT_THAT(refusal(R"({"vision_config": {"hidden_size": 10, "num_attention_heads": 3}})"),
              HasSubstr("a vision tower of 10 channels is not a multiple of 3 heads"));
  EXPECT_THAT(refusal(R"({"vision_config": {"hidden_size": 8, "num_attention_heads": 2}})"),
              HasSubstr("vision heads of 4 channels are too narrow"));
  EXPECT_THAT(refusal(R"({"vision_config": {"patch_size": 0}})"), HasSubstr("'patch_size' is 0"));
  EXPECT_THAT(refusal(R"({"vision_config": [1]})"), HasSubstr("'vision_config' is [1]; expected an object"));
  EXPECT_THAT(refusal(R"({"image_token_index": 6, "video_token_index": 6})"), HasSubstr("both token 6"));
}

}  // namespace
}  // namespace parity

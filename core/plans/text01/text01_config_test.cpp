// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// MiniMax-Text-01's config.json: defaults, aliases, refusals.
#include "core/plans/text01/text01_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string text01_refusal(const json& config, ErrorCode code = ErrorCode::schema) {
  return refusal_of(code, [&] { return parse_text01_config(config); });
}

TEST(Text01Config, DefaultsAreThoseOfThePackage) {
  const Text01Config config = parse_text01_config(json::object());

  EXPECT_EQ(config.head_dim, 128);  // 4096 / 32
  EXPECT_EQ(config.block_size, 256);
  EXPECT_EQ(config.rope_theta, 1e6);
  EXPECT_EQ(config.rms_norm_eps, 1e-5);
  EXPECT_EQ(config.num_experts_per_tok, 2);
  EXPECT_EQ(config.linear_attn_alpha_factor, 1.0);
}

TEST(Text01Config, LayerZeroIsFullByDefault) {
  const auto linear = parse_text01_config({{"num_hidden_layers", 4}}).linear_attention;

  EXPECT_EQ(linear, (std::vector<bool>{false, true, false, true}));
}

TEST(Text01Config, LayerTypesOfThePublishedLayoutStartLinear) {
  const json types = json::array({"linear_attention", "linear_attention", "full_attention"});

  EXPECT_EQ(parse_text01_config({{"num_hidden_layers", 3}, {"layer_types", types}}).linear_attention,
            (std::vector<bool>{true, true, false}));
}

TEST(Text01Config, NullKeyValueHeadsMeanOnePerQueryHead) {
  EXPECT_EQ(parse_text01_config({{"num_key_value_heads", nullptr}}).num_key_value_heads, 32);
  EXPECT_EQ(parse_text01_config(json::object()).num_key_value_heads, 8);
}

TEST(Text01Config, RopeParametersOfLaterReleasesReplaceTheFlatKey) {
  const auto theta = [](const json& more) {
    json config{{"rope_theta", 50.0}};
    config.update(more);
    return parse_text01_config(config).rope_theta;
  };

  EXPECT_EQ(theta(json::object()), 50.0);
  EXPECT_EQ(theta({{"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 70.0}}}}), 70.0);
  EXPECT_EQ(theta({{"rope_parameters", nullptr}}), 50.0);
}

TEST(Text01Config, NullHeadDimIsDerived) {
  EXPECT_EQ(parse_text01_config({{"head_dim", nullptr}, {"hidden_size", 64}}).head_dim, 2);
}

TEST(Text01Config, RefusesWhatItDoesNotCompute) {
  EXPECT_THAT(text01_refusal({{"sliding_window", 128}}, ErrorCode::unsupported), HasSubstr("'sliding_window' is 128"));
  EXPECT_THAT(text01_refusal({{"hidden_act", "gelu"}}, ErrorCode::unsupported), HasSubstr("'hidden_act' is \"gelu\""));
  EXPECT_THAT(text01_refusal({{"partial_rotary_factor", 0.5}}, ErrorCode::unsupported), HasSubstr("is 0.5"));
  EXPECT_THAT(text01_refusal({{"rope_scaling", {{"type", "yarn"}}}}, ErrorCode::unsupported),
              HasSubstr("'rope_scaling'"));
  EXPECT_THAT(text01_refusal({{"quantization_config", json::object()}}, ErrorCode::unsupported),
              HasSubstr("quantization"));
}

TEST(Text01Config, NamesWhatDoesNotFit) {
  EXPECT_THAT(text01_refusal({{"num_key_value_heads", 5}}), HasSubstr("32 attention heads are not a multiple of 5"));
  EXPECT_THAT(text01_refusal({{"num_experts_per_tok", 9}}),
              HasSubstr("num_experts_per_tok 9 exceeds num_local_experts 8"));
  EXPECT_THAT(text01_refusal({{"head_dim", 7}}), HasSubstr("heads of 7 channels"));
  EXPECT_THAT(text01_refusal({{"rotary_dim", 256}}), HasSubstr("'rotary_dim' is 256"));
  EXPECT_THAT(text01_refusal({{"block_size", 0}}), HasSubstr("'block_size' is 0"));
  EXPECT_THAT(text01_refusal({{"layer_types", json::array({"sparse"})}, {"num_hidden_layers", 1}}),
              HasSubstr("entry 0 of 'layer_types' is \"sparse\""));
  EXPECT_THAT(text01_refusal(json::array()), HasSubstr("not a JSON object"));
}

}  // namespace
}  // namespace parity

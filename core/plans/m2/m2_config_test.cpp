// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// MiniMax-M2's configuration as the releases read it.
#include "core/plans/m2/m2_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr bool kIgnored = false;  // rotary_dim, up to 5.17.0
constexpr bool kHonoured = true;  // rotary_dim, from 5.18.0 on

int64_t width(const char* keys, bool honours_rotary_dim) {
  json config = json::parse(keys);
  config["head_dim"] = 16;
  return parse_m2_config(config, honours_rotary_dim).rotary_width();
}

std::string refusal(const char* keys, ErrorCode expected, bool honours_rotary_dim = kHonoured) {
  return refusal_of(expected, [&] { return parse_m2_config(json::parse(keys), honours_rotary_dim); });
}

TEST(M2Config, DefaultsAreThoseOfThePackage) {
  const M2Config c = parse_m2_config(json::object(), kIgnored);

  EXPECT_EQ(c.vocab_size, 200064);
  EXPECT_EQ(c.hidden_size, 3072);
  EXPECT_EQ(c.num_hidden_layers, 62);
  EXPECT_EQ(c.num_attention_heads, 48);
  EXPECT_EQ(c.num_key_value_heads, 8);
  EXPECT_EQ(c.num_local_experts, 256);
  EXPECT_EQ(c.num_experts_per_tok, 8);
  EXPECT_EQ(c.rope_theta, 5e6);
  EXPECT_EQ(c.rotary_width(), 128);
}

// Expected widths were printed by transformers 5.1.0, 5.12.0, 5.17.0 (ignored), 5.18.0 and 5.23.0 (honoured).
TEST(M2Config, RotaryDimRotatesWholeHeadsUntilItIsHonoured) {
  EXPECT_EQ(width(R"({"rotary_dim": 8})", kIgnored), 16);
  EXPECT_EQ(width(R"({"rotary_dim": 8})", kHonoured), 8);
  EXPECT_EQ(width(R"({"rotary_dim": null})", kHonoured), 16);
}

TEST(M2Config, FlatFactorWinsOverRotaryDim) {
  EXPECT_EQ(width(R"({"rotary_dim": 8, "partial_rotary_factor": 0.25})", kIgnored), 4);
  EXPECT_EQ(width(R"({"rotary_dim": 8, "partial_rotary_factor": 0.25})", kHonoured), 4);
}

TEST(M2Config, FactorInsideRopeParametersWinsOverEverythingFlat) {
  const char* inside =
      R"({"rotary_dim": 8, "rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.75}})";
  const char* without = R"({"rotary_dim": 8, "rope_parameters": {"rope_type": "default", "rope_theta": 10000}})";

  EXPECT_EQ(width(inside, kIgnored), 12);
  EXPECT_EQ(width(inside, kHonoured), 12);
  EXPECT_EQ(width(without, kIgnored), 16);
  EXPECT_EQ(width(without, kHonoured), 8);
}

TEST(M2Config, RopeScalingReplacesRopeParameters) {
  const json config = json::parse(R"({"head_dim": 16, "rope_theta": 1e4,
      "rope_scaling": {"rope_theta": 3e4, "partial_rotary_factor": 0.25},
      "rope_parameters": {"rope_theta": 2e4, "partial_rotary_factor": 0.75}})");

  const M2Config c = parse_m2_config(config, kIgnored);

  EXPECT_EQ(c.rope_theta, 3e4);
  EXPECT_EQ(c.rotary_width(), 4);
}

TEST(M2Config, AliasNumExpertsWins) {
  EXPECT_EQ(parse_m2_config(json::parse(R"({"num_experts": 70, "num_local_experts": 50})"), kIgnored).num_local_experts,
            70);
}

TEST(M2Config, NamesWhatItRefuses) {
  EXPECT_THAT(refusal(R"({"hidden_act": "gelu"})", ErrorCode::unsupported), HasSubstr("'hidden_act' is \"gelu\""));
  EXPECT_THAT(refusal(R"({"rope_scaling": {"rope_type": "yarn"}})", ErrorCode::unsupported), HasSubstr("\"yarn\""));
  EXPECT_THAT(refusal(R"({"head_dim": 16, "rotary_dim": 7})", ErrorCode::schema),
              HasSubstr("7 of 16 channels of a head"));
  EXPECT_THAT(refusal(R"({"rotary_dim": 256})", ErrorCode::schema), HasSubstr("2 of each head would rotate"));
  EXPECT_THAT(refusal(R"({"rotary_dim": "8"})", ErrorCode::schema), HasSubstr("'rotary_dim' is \"8\""));
  EXPECT_EQ(refusal(R"({"rotary_dim": "8"})", ErrorCode::schema, kIgnored), "accepted");
  EXPECT_THAT(refusal(R"({"num_key_value_heads": 7})", ErrorCode::schema), HasSubstr("multiple of 7"));
  EXPECT_THAT(refusal(R"({"num_experts_per_tok": 300})", ErrorCode::schema),
              HasSubstr("num_experts_per_tok 300 exceeds num_local_experts 256"));
  EXPECT_THAT(refusal("[]", ErrorCode::schema), HasSubstr("not a JSON object"));
}

}  // namespace
}  // namespace parity

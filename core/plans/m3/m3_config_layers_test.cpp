// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// MiniMax-M3's text configuration: per-layer lists, rotary settings, tied embeddings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/plans/m3/m3_config.hpp"

namespace parity {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

/// A short configuration; all other keys have their defaults.
json three_layers() { return {{"num_hidden_layers", 3}}; }

TEST(M3Config, PublishedFrequencyListsChooseTheLayers) {
  json config = three_layers();
  config["sparse_attention_config"] = {{"sparse_attention_freq", {0, 1, true}}};
  config["moe_layer_freq"] = {0, 0.0, 1};

  const M3TextConfig c = parse_m3_text_config(config);

  EXPECT_THAT(c.sparse_attention, ElementsAre(false, true, true));
  EXPECT_THAT(c.mixture_of_experts, ElementsAre(false, false, true));
}

TEST(M3Config, NamedLayerTypesChooseTheLayersAndWinOverFrequencies) {
  json config = three_layers();
  config["layer_types"] = {"full_attention", "minimax_m3_sparse", "full_attention"};
  config["mlp_layer_types"] = {"dense", "sparse", "dense"};
  config["sparse_attention_config"] = {{"sparse_attention_freq", {1, 1, 1}}};
  config["moe_layer_freq"] = {1, 1, 1};

  const M3TextConfig c = parse_m3_text_config(config);

  EXPECT_THAT(c.sparse_attention, ElementsAre(false, true, false));
  EXPECT_THAT(c.mixture_of_experts, ElementsAre(false, true, false));
}

TEST(M3Config, ListsLongerThanTheModelAreRefusedAsThePackageDoes) {
  json config = three_layers();
  config["moe_layer_freq"] = {0, 1, 0, 1, 1};

  EXPECT_THROW(static_cast<void>(parse_m3_text_config(config)), Error);
}

TEST(M3Config, RotaryFactorInsideTheDictionaryWinsOverTheFlatKey) {
  EXPECT_EQ(parse_m3_text_config({{"partial_rotary_factor", 0.5}}).rotary_width(), 64);
  EXPECT_EQ(parse_m3_text_config({{"rope_parameters", {{"partial_rotary_factor", 0.25}}}}).rotary_width(), 32);
  EXPECT_EQ(
      parse_m3_text_config({{"partial_rotary_factor", 0.5}, {"rope_parameters", {{"partial_rotary_factor", 0.25}}}})
          .rotary_width(),
      32);
  EXPECT_EQ(
      parse_m3_text_config({{"partial_rotary_factor", 0.5}, {"rope_parameters", {{"rope_theta", 1e4}}}}).rotary_width(),
      64);
}

TEST(M3Config, RopeScalingReplacesRopeParameters) {
  const json parameters = {{"partial_rotary_factor", 0.25}, {"rope_theta", 1e4}};
  const json scaling = {{"partial_rotary_factor", 0.75}, {"rope_type", "default"}};

  const M3TextConfig c = parse_m3_text_config({{"rope_parameters", parameters}, {"rope_scaling", scaling}});

  EXPECT_EQ(c.rotary_width(), 96);
  EXPECT_EQ(c.rope_theta, 5e6);  // not that of the replaced dictionary
}

TEST(M3Config, EmptyRopeScalingReplacesNothing) {
  const M3TextConfig c =
      parse_m3_text_config({{"rope_parameters", {{"rope_theta", 1e4}}}, {"rope_scaling", json::object()}});

  EXPECT_EQ(c.rope_theta, 1e4);
}

TEST(M3Config, ThetaInsideTheDictionaryWinsOverTheFlatKey) {
  EXPECT_EQ(parse_m3_text_config({{"rope_theta", 1e5}}).rope_theta, 1e5);
  EXPECT_EQ(parse_m3_text_config({{"rope_theta", 1e5}, {"rope_parameters", {{"rope_theta", 1e6}, {"type", "default"}}}})
                .rope_theta,
            1e6);
}

TEST(M3Config, RotaryWidthIsTruncatedNotRounded) {
  M3TextConfig c;
  c.head_dim = 6;
  c.partial_rotary_factor = 0.7;  // 6 * 0.7 = 4.2

  EXPECT_EQ(c.rotary_width(), 4);

  c.partial_rotary_factor = 0.999;  // 5.994
  EXPECT_EQ(c.rotary_width(), 5);
}

TEST(M3Config, TiedEmbeddingsAreSwitchedOnAtEitherLevel) {
  const auto tied = [](const json& config) { return parse_m3_text_config(config).tie_word_embeddings; };

  EXPECT_FALSE(tied({{"text_config", json::object()}}));
  EXPECT_TRUE(tied({{"tie_word_embeddings", true}}));
  EXPECT_TRUE(tied({{"tie_word_embeddings", true}, {"text_config", json::object()}}));
  EXPECT_TRUE(tied({{"tie_word_embeddings", false}, {"text_config", {{"tie_word_embeddings", true}}}}));
  EXPECT_TRUE(tied({{"tie_word_embeddings", true}, {"text_config", {{"tie_word_embeddings", false}}}}));
}

TEST(M3Config, LocalBlocksMayBeZero) {
  EXPECT_EQ(parse_m3_text_config({{"index_local_blocks", 0}}).index_local_blocks, 0);
}

}  // namespace
}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// MiniMax-M3's text configuration: defaults, aliases and which of two keys wins.
#include "core/plans/m3/m3_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace parity {
namespace {

using nlohmann::json;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(M3Config, DefaultsAreThoseOfTheReleasedClass) {
  const M3TextConfig c = parse_m3_text_config(json::object());

  EXPECT_EQ(c.vocab_size, 200064);
  EXPECT_EQ(c.hidden_size, 6144);
  EXPECT_EQ(c.intermediate_size, 3072);
  EXPECT_EQ(c.dense_intermediate_size, 12288);
  EXPECT_EQ(c.shared_intermediate_size, 3072);
  EXPECT_EQ(c.num_hidden_layers, 60);
  EXPECT_EQ(c.num_attention_heads, 64);
  EXPECT_EQ(c.num_key_value_heads, 4);
  EXPECT_EQ(c.head_dim, 128);
  EXPECT_EQ(c.rms_norm_eps, 1e-6);
  EXPECT_FALSE(c.tie_word_embeddings);
  EXPECT_EQ(c.num_local_experts, 128);
  EXPECT_EQ(c.num_experts_per_tok, 4);
  EXPECT_EQ(c.routed_scaling_factor, 2.0);
  EXPECT_EQ(c.router_aux_loss_coef, 1e-3);
  EXPECT_EQ(c.swiglu_alpha, 1.702);
  EXPECT_EQ(c.swiglu_limit, 7.0);
  EXPECT_EQ(c.index_n_heads, 4);
  EXPECT_EQ(c.index_head_dim, 128);
  EXPECT_EQ(c.index_block_size, 128);
  EXPECT_EQ(c.index_topk_blocks, 16);
  EXPECT_EQ(c.index_local_blocks, 1);
  EXPECT_EQ(c.rope_theta, 5e6);
}

TEST(M3Config, DefaultsAreAllDenseAttentionAndAllExperts) {
  const M3TextConfig c = parse_m3_text_config(json::object());

  EXPECT_THAT(c.sparse_attention, SizeIs(60));
  EXPECT_THAT(c.sparse_attention, Each(false));
  EXPECT_THAT(c.mixture_of_experts, SizeIs(60));
  EXPECT_THAT(c.mixture_of_experts, Each(true));
}

TEST(M3Config, RotaryDimIsNeverRead) { EXPECT_EQ(parse_m3_text_config({{"rotary_dim", 64}}).rotary_width(), 128); }

TEST(M3Config, EveryKeyReachesItsField) {
  const json config = {{"vocab_size", 11},
                       {"hidden_size", 12},
                       {"intermediate_size", 13},
                       {"dense_intermediate_size", 14},
                       {"shared_intermediate_size", 15},
                       {"num_hidden_layers", 2},
                       {"num_attention_heads", 6},
                       {"num_key_value_heads", 3},
                       {"head_dim", 16},
                       {"rms_norm_eps", 1e-5},
                       {"tie_word_embeddings", true},
                       {"num_local_experts", 9},
                       {"num_experts_per_tok", 5},
                       {"routed_scaling_factor", 2.5},
                       {"router_aux_loss_coef", 0.25},
                       {"swiglu_alpha", 1.5},
                       {"swiglu_limit", 6.0},
                       {"index_n_heads", 2},
                       {"index_head_dim", 20},
                       {"index_block_size", 21},
                       {"index_topk_blocks", 22},
                       {"index_local_blocks", 3},
                       {"rope_theta", 1e4},
                       {"partial_rotary_factor", 0.5}};

  const M3TextConfig c = parse_m3_text_config(config);

  EXPECT_THAT((std::vector<int64_t>{c.vocab_size, c.hidden_size, c.intermediate_size, c.dense_intermediate_size,
                                    c.shared_intermediate_size}),
              ElementsAre(11, 12, 13, 14, 15));
  EXPECT_THAT((std::vector<int64_t>{c.num_hidden_layers, c.num_attention_heads, c.num_key_value_heads, c.head_dim}),
              ElementsAre(2, 6, 3, 16));
  EXPECT_THAT((std::vector<int64_t>{c.num_local_experts, c.num_experts_per_tok, c.index_n_heads, c.index_head_dim,
                                    c.index_block_size, c.index_topk_blocks, c.index_local_blocks}),
              ElementsAre(9, 5, 2, 20, 21, 22, 3));
  EXPECT_THAT((std::vector<double>{c.rms_norm_eps, c.routed_scaling_factor, c.router_aux_loss_coef, c.swiglu_alpha,
                                   c.swiglu_limit, c.rope_theta, c.partial_rotary_factor}),
              ElementsAre(1e-5, 2.5, 0.25, 1.5, 6.0, 1e4, 0.5));
  EXPECT_TRUE(c.tie_word_embeddings);
}

TEST(M3Config, NestedTextConfigIsReadInsteadOfTheTop) {
  const json config = {{"hidden_size", 7}, {"text_config", {{"hidden_size", 64}, {"num_hidden_layers", 2}}}};

  const M3TextConfig c = parse_m3_text_config(config);

  EXPECT_EQ(c.hidden_size, 64);
  EXPECT_EQ(c.num_hidden_layers, 2);
}

TEST(M3Config, NullMeansTheDefaultWhereThePackageAllowsIt) {
  const json config = {
      {"text_config", nullptr},         {"partial_rotary_factor", nullptr},   {"layer_types", nullptr},
      {"mlp_layer_types", nullptr},     {"rope_parameters", nullptr},         {"rope_scaling", nullptr},
      {"quantization_config", nullptr}, {"sparse_attention_config", nullptr}, {"num_hidden_layers", 2}};

  const M3TextConfig c = parse_m3_text_config(config);

  EXPECT_EQ(c.hidden_size, 6144);
  EXPECT_THAT(c.sparse_attention, ElementsAre(false, false));
}

TEST(M3Config, NumExpertsIsAnAliasAndWins) {
  EXPECT_EQ(parse_m3_text_config({{"num_experts", 32}}).num_local_experts, 32);
  EXPECT_EQ(parse_m3_text_config({{"num_experts", 32}, {"num_local_experts", 16}}).num_local_experts, 32);
}

TEST(M3Config, LegacySparseDictionaryWinsOverFlatKeys) {
  json config = {{"index_n_heads", 8},
                 {"index_head_dim", 256},
                 {"index_block_size", 32},
                 {"index_topk_blocks", 5},
                 {"index_local_blocks", 2}};
  config["sparse_attention_config"] = {{"sparse_num_index_heads", 2},
                                       {"sparse_index_dim", 192},
                                       {"sparse_block_size", 64},
                                       {"sparse_topk_blocks", 3},
                                       {"sparse_local_block", 0}};

  const M3TextConfig c = parse_m3_text_config(config);

  EXPECT_THAT((std::vector<int64_t>{c.index_n_heads, c.index_head_dim, c.index_block_size, c.index_topk_blocks,
                                    c.index_local_blocks}),
              ElementsAre(2, 192, 64, 3, 0));
}

TEST(M3Config, LegacySparseDictionaryLeavesOtherFlatKeysAlone) {
  const M3TextConfig c =
      parse_m3_text_config({{"index_n_heads", 8}, {"sparse_attention_config", {{"sparse_block_size", 64}}}});

  EXPECT_EQ(c.index_n_heads, 8);
  EXPECT_EQ(c.index_block_size, 64);
}

TEST(M3Config, KeysThatThePackageIgnoresAreIgnored) {
  json config = {{"num_hidden_layers", 3}};
  config["sparse_attention_config"] = {{"use_sparse_attention", true},
                                       {"sparse_init_block", 4},
                                       {"sparse_score_type", "max"},
                                       {"sparse_disable_index_value", true}};
  config["hidden_act"] = "swigluoai";
  config["num_mtp_modules"] = 7;

  EXPECT_THAT(parse_m3_text_config(config).sparse_attention, Each(false));
}

}  // namespace
}  // namespace parity

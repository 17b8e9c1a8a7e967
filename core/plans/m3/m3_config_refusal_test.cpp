// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Values that MiniMax-M3's configuration must not have; every refusal names the key.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/plans/m3/m3_config.hpp"
#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(const json& config, ErrorCode code = ErrorCode::schema) {
  return refusal_of(code, [&] { return parse_m3_text_config(config); });
}

constexpr const char* kIntegers[] = {"vocab_size",
                                     "hidden_size",
                                     "intermediate_size",
                                     "dense_intermediate_size",
                                     "shared_intermediate_size",
                                     "num_hidden_layers",
                                     "num_attention_heads",
                                     "num_key_value_heads",
                                     "head_dim",
                                     "num_experts",
                                     "num_local_experts",
                                     "num_experts_per_tok",
                                     "index_n_heads",
                                     "index_head_dim",
                                     "index_block_size",
                                     "index_topk_blocks"};
constexpr const char* kReals[] = {"rms_norm_eps",         "routed_scaling_factor", "router_aux_loss_coef",
                                  "swiglu_alpha",         "swiglu_limit",          "rope_theta",
                                  "partial_rotary_factor"};
constexpr const char* kLegacyIntegers[] = {"sparse_num_index_heads", "sparse_index_dim", "sparse_block_size",
                                           "sparse_topk_blocks"};

class M3ConfigInteger : public ::testing::TestWithParam<const char*> {};

TEST_P(M3ConfigInteger, OfAnotherTypeIsRefusedWithItsKey) {
  const std::string key = GetParam();
  const auto quoted = HasSubstr("'" + key + "'");

  for (const json& bad : {json("64"), json(64.5), json(true), json(json::array({64})), json(json::object())}) {
    EXPECT_THAT(refusal({{key, bad}}), AllOf(quoted, HasSubstr("expected an integer"), HasSubstr(bad.dump())));
  }
}

TEST_P(M3ConfigInteger, OutOfRangeIsRefusedWithItsKey) {
  const std::string key = GetParam();
  const auto quoted = HasSubstr("'" + key + "'");

  EXPECT_THAT(refusal({{key, 0}}), quoted);
  EXPECT_THAT(refusal({{key, -1}}), quoted);
  EXPECT_THAT(refusal({{key, (int64_t{1} << 31) + 1}}), quoted);
  EXPECT_THAT(refusal({{key, std::numeric_limits<int64_t>::min()}}), quoted);
  EXPECT_THAT(refusal({{key, std::numeric_limits<uint64_t>::max()}}), quoted);  // must not come back as -1 or wrap
}

INSTANTIATE_TEST_SUITE_P(Keys, M3ConfigInteger, ::testing::ValuesIn(kIntegers),
                         [](const auto& test) { return std::string(test.param); });

class M3ConfigReal : public ::testing::TestWithParam<const char*> {};

TEST_P(M3ConfigReal, OfAnotherTypeIsRefusedWithItsKey) {
  const std::string key = GetParam();

  for (const json& bad : {json("1e-6"), json(false), json(json::array({1.0}))}) {
    EXPECT_THAT(refusal({{key, bad}}), AllOf(HasSubstr("'" + key + "'"), HasSubstr("expected a finite number")));
  }
}

TEST_P(M3ConfigReal, NotFiniteIsRefusedWithItsKey) {
  const std::string key = GetParam();

  EXPECT_THAT(refusal({{key, std::nan("")}}), HasSubstr("'" + key + "'"));
  EXPECT_THAT(refusal({{key, std::numeric_limits<double>::infinity()}}), HasSubstr("'" + key + "'"));
  EXPECT_THAT(refusal({{key, -std::numeric_limits<double>::infinity()}}), HasSubstr("'" + key + "'"));
}

INSTANTIATE_TEST_SUITE_P(Keys, M3ConfigReal, ::testing::ValuesIn(kReals),
                         [](const auto& test) { return std::string(test.param); });

class M3ConfigLegacyInteger : public ::testing::TestWithParam<const char*> {};

TEST_P(M3ConfigLegacyInteger, IsGuardedAsTheFlatKey) {
  const std::string key = GetParam();

  for (const json& bad : {json(0), json(-3), json("4"), json(1.5)}) {
    EXPECT_THAT(refusal({{"sparse_attention_config", {{key, bad}}}}), HasSubstr("'" + key + "'")) << bad;
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, M3ConfigLegacyInteger, ::testing::ValuesIn(kLegacyIntegers),
                         [](const auto& test) { return std::string(test.param); });

TEST(M3ConfigRefuses, NegativeLocalBlocksAtEitherPlace) {
  EXPECT_THAT(refusal({{"index_local_blocks", -1}}), HasSubstr("'index_local_blocks'"));
  EXPECT_THAT(refusal({{"sparse_attention_config", {{"sparse_local_block", -1}}}}), HasSubstr("'sparse_local_block'"));
}

TEST(M3ConfigRefuses, WhatIsNotAnObject) {
  EXPECT_THAT(refusal(json::array()), HasSubstr("not a JSON object"));
  for (const char* key : {"text_config", "rope_parameters", "rope_scaling", "sparse_attention_config"}) {
    EXPECT_THAT(refusal({{key, 3}}), AllOf(HasSubstr(std::string("'") + key + "'"), HasSubstr("expected an object")));
  }
}

TEST(M3ConfigRefuses, TieThatIsNotABoolean) {
  EXPECT_THAT(refusal({{"tie_word_embeddings", 1}}), HasSubstr("'tie_word_embeddings' is 1; expected true or false"));
  EXPECT_THAT(refusal({{"tie_word_embeddings", "yes"}, {"text_config", json::object()}}),
              HasSubstr("'tie_word_embeddings'"));
}

TEST(M3ConfigRefuses, RotaryEmbeddingsOtherThanDefault) {
  for (const char* dictionary : {"rope_parameters", "rope_scaling"}) {
    EXPECT_THAT(refusal({{dictionary, {{"rope_type", "yarn"}}}}, ErrorCode::unsupported),
                HasSubstr("'rope_type' is \"yarn\""));
    EXPECT_THAT(refusal({{dictionary, {{"type", "linear"}, {"factor", 2.0}}}}, ErrorCode::unsupported),
                HasSubstr("'type' is \"linear\""));
  }
  EXPECT_EQ(refusal({{"rope_parameters", {{"rope_type", "default"}}}}), "accepted");
}

TEST(M3ConfigRefuses, OtherQuantisations) {
  EXPECT_THAT(refusal({{"quantization_config", {{"quant_method", "gptq"}}}}, ErrorCode::unsupported),
              HasSubstr("'quant_method' is \"gptq\""));
  EXPECT_THAT(refusal({{"quantization_config", {{"bits", 8}}}}, ErrorCode::unsupported), HasSubstr("is missing"));
  EXPECT_THAT(refusal({{"quantization_config", {{"quant_method", "fp8"}, {"weight_block_size", {128, 0}}}},
                       {"text_config", json::object()}}),
              HasSubstr("'weight_block_size' is [128,0]"));
  EXPECT_THAT(refusal({{"quantization_config", {{"quant_method", "fp8"}, {"ignored_layers", "lm_head"}}}}),
              HasSubstr("'ignored_layers' is \"lm_head\""));
  EXPECT_EQ(refusal({{"quantization_config", {{"quant_method", "mxfp8"}, {"weight_block_size", {1, 32}}}}}),
            "accepted");
}

TEST(M3ConfigRefuses, HeadsThatDoNotDivide) {
  EXPECT_THAT(refusal({{"num_attention_heads", 6}, {"num_key_value_heads", 4}, {"index_n_heads", 2}}),
              HasSubstr("6 attention heads are not a multiple of 4 key"));
}

TEST(M3ConfigRefuses, MoreExpertsPerTokenThanExperts) {
  EXPECT_THAT(refusal({{"num_local_experts", 3}, {"num_experts_per_tok", 4}}),
              HasSubstr("num_experts_per_tok 4 exceeds num_local_experts 3"));
}

TEST(M3ConfigRefuses, RotaryWidthsThatCannotBePaired) {
  EXPECT_THAT(refusal({{"partial_rotary_factor", 0.0}}), HasSubstr("0 of each head would rotate"));
  EXPECT_THAT(refusal({{"partial_rotary_factor", -0.5}}), HasSubstr("-0.5 of each head would rotate"));
  EXPECT_THAT(refusal({{"partial_rotary_factor", 1.5}}), HasSubstr("1.5 of each head would rotate"));
  EXPECT_THAT(refusal({{"head_dim", 6}, {"partial_rotary_factor", 0.5}}), HasSubstr("3 of 6 channels of a head"));
  EXPECT_THAT(refusal({{"head_dim", 128}, {"partial_rotary_factor", 0.01}}), HasSubstr("1 of 128 channels of a head"));
}

TEST(M3ConfigRefuses, IndexHeadsNarrowerThanTheRotation) {
  const json sparse = {"minimax_m3_sparse"};
  EXPECT_THAT(
      refusal({{"index_head_dim", 64}, {"num_hidden_layers", 1}, {"layer_types", sparse}}, ErrorCode::unsupported),
      HasSubstr("an index head has 64 channels"));
  EXPECT_EQ(
      refusal(
          {{"index_head_dim", 64}, {"num_hidden_layers", 1}, {"layer_types", sparse}, {"partial_rotary_factor", 0.5}}),
      "accepted");
}

TEST(M3Config, WithoutSparseLayersNothingIsAskedOfTheIndexer) {
  EXPECT_EQ(refusal({{"index_head_dim", 64}}), "accepted");
  EXPECT_EQ(refusal({{"num_attention_heads", 6}, {"num_key_value_heads", 3}, {"index_n_heads", 4}}), "accepted");
}

TEST(M3ConfigRefuses, ThetaAndEpsilonThatMakeNoSense) {
  EXPECT_THAT(refusal({{"rope_theta", 0.0}}), HasSubstr("rope_theta 0"));
  EXPECT_THAT(refusal({{"rope_theta", -1e4}}), HasSubstr("rope_theta -10000"));
  EXPECT_THAT(refusal({{"rms_norm_eps", -1e-6}}), HasSubstr("rms_norm_eps -1e-06"));
}

TEST(M3ConfigRefuses, LayerListsThatAreTooShortOrOfAnotherType) {
  const json base = {{"num_hidden_layers", 3}};
  const auto with = [&](const char* key, const json& value) {
    json config = base;
    config[key] = value;
    return refusal(config);
  };

  EXPECT_THAT(with("layer_types", {"full_attention"}), AllOf(HasSubstr("'layer_types'"), HasSubstr("3 layers")));
  EXPECT_THAT(with("layer_types", "full_attention"), HasSubstr("'layer_types'"));
  EXPECT_THAT(with("mlp_layer_types", {"dense", "sparse"}), HasSubstr("'mlp_layer_types'"));
  EXPECT_THAT(with("moe_layer_freq", {1, 1}), HasSubstr("one entry for each of 3 layers"));
  EXPECT_THAT(with("moe_layer_freq", 1), HasSubstr("one entry for each"));
  EXPECT_THAT(with("moe_layer_freq", {1, "1", 0}), HasSubstr("entry 1"));
  EXPECT_THAT(with("sparse_attention_config", {{"sparse_attention_freq", {1, 0}}}), HasSubstr("one entry for each"));
}

TEST(M3ConfigRefuses, LayerTypesOfOtherModels) {
  const json config = {{"num_hidden_layers", 2}, {"layer_types", {"full_attention", "sliding_attention"}}};

  EXPECT_THAT(refusal(config),
              AllOf(HasSubstr("entry 1 of 'layer_types' is \"sliding_attention\""), HasSubstr("minimax_m3_sparse")));
}

}  // namespace
}  // namespace parity

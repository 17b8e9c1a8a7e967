// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Odd configurations with the answers of the real packages (golden/capture/configs.py): we read the same values and
// refuse what they refuse on reading, building or running. Where we refuse more, the recording has the reason.
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/plans/m2/m2_config.hpp"
#include "core/plans/m3/m3_config.hpp"
#include "core/plans/m3/m3_vision_config.hpp"
#include "core/plans/text01/text01_config.hpp"

namespace parity {
namespace {

using nlohmann::json;

template <class Config>
json shared_values(const Config& c) {
  return {{"vocab_size", c.vocab_size},
          {"hidden_size", c.hidden_size},
          {"intermediate_size", c.intermediate_size},
          {"num_hidden_layers", c.num_hidden_layers},
          {"num_attention_heads", c.num_attention_heads},
          {"num_key_value_heads", c.num_key_value_heads},
          {"num_local_experts", c.num_local_experts},
          {"num_experts_per_tok", c.num_experts_per_tok},
          {"rms_norm_eps", c.rms_norm_eps},
          {"router_aux_loss_coef", c.router_aux_loss_coef},
          {"head_dim", c.head_dim},
          {"rope_theta", c.rope_theta},
          {"tie_word_embeddings", c.tie_word_embeddings}};
}

json vision_values(const M3VisionConfig& c) {
  return {{"vision.hidden_size", c.hidden_size},
          {"vision.intermediate_size", c.intermediate_size},
          {"vision.num_hidden_layers", c.num_hidden_layers},
          {"vision.num_attention_heads", c.num_attention_heads},
          {"vision.num_channels", c.num_channels},
          {"vision.patch_size", c.patch_size},
          {"vision.temporal_patch_size", c.temporal_patch_size},
          {"vision.spatial_merge_size", c.spatial_merge_size},
          {"vision.layer_norm_eps", c.layer_norm_eps},
          {"vision.rope_theta", c.rope_theta},
          {"vision.projector_hidden_size", c.projector_hidden_size},
          {"vision.image_token", c.image_token},
          {"vision.video_token", c.video_token}};
}

json m3_values(const json& config) {
  const M3TextConfig c = parse_m3_text_config(config);
  json values = shared_values(c);
  values.update({{"dense_intermediate_size", c.dense_intermediate_size},
                 {"shared_intermediate_size", c.shared_intermediate_size},
                 {"routed_scaling_factor", c.routed_scaling_factor},
                 {"swiglu_alpha", c.swiglu_alpha},
                 {"swiglu_limit", c.swiglu_limit},
                 {"index_n_heads", c.index_n_heads},
                 {"index_head_dim", c.index_head_dim},
                 {"index_block_size", c.index_block_size},
                 {"index_topk_blocks", c.index_topk_blocks},
                 {"index_local_blocks", c.index_local_blocks},
                 {"partial_rotary_factor", c.partial_rotary_factor},
                 {"sparse_attention", c.sparse_attention},
                 {"mixture_of_experts", c.mixture_of_experts}});
  values.update(vision_values(parse_m3_vision_config(config)));
  return values;
}

json m2_values(const json& config, bool honours_rotary_dim) {
  const M2Config c = parse_m2_config(config, honours_rotary_dim);
  json values = shared_values(c);
  values["partial_rotary_factor"] = c.partial_rotary_factor;
  return values;
}

json text01_values(const json& config) {
  const Text01Config c = parse_text01_config(config);
  json values = shared_values(c);
  values.update({{"block_size", c.block_size},
                 {"full_attn_alpha_factor", c.full_attn_alpha_factor},
                 {"full_attn_beta_factor", c.full_attn_beta_factor},
                 {"linear_attn_alpha_factor", c.linear_attn_alpha_factor},
                 {"linear_attn_beta_factor", c.linear_attn_beta_factor},
                 {"mlp_alpha_factor", c.mlp_alpha_factor},
                 {"mlp_beta_factor", c.mlp_beta_factor},
                 {"linear_attention", c.linear_attention},
                 {"num_labels", c.num_labels}});
  return values;
}

json laid_over(json base, const json& over) {
  for (const auto& [key, value] : over.items()) {
    const bool nested = (key == "text_config" || key == "vision_config") && value.is_object();
    base[key] = nested ? laid_over(base.value(key, json::object()), value) : value;
  }
  return base;
}

/// The message of the refusal; empty when `read` accepts the configuration.
template <class Read>
std::string refusal(const Read& read, const json& config) {
  try {
    static_cast<void>(read(config));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class Read>
void agrees(const std::string& file, const Read& read) {
  const json recorded = json::parse(std::ifstream("golden/configs/" + file));  // tests run in the repository root
  EXPECT_GT(recorded.at("cases").size(), 15U);
  for (const json& row : recorded.at("cases")) {
    SCOPED_TRACE(file + ": " + row.at("case").get<std::string>());
    const json config = laid_over(recorded.at("base"), row.at("over"));
    const std::string refused = refusal(read, config);
    if (row.contains("error") || row.contains("here")) {
      EXPECT_NE(refused, "") << row.value("error", row.value("here", ""));
      continue;
    }
    EXPECT_EQ(refused, "");
    if (!refused.empty()) continue;
    EXPECT_EQ(read(config), laid_over(recorded.at("values"), row.at("values")));
  }
}

TEST(OddConfigs, OfM3AreReadAsThePackageReadsThem) { agrees("m3.json", m3_values); }

TEST(OddConfigs, OfM2AreReadAsItsReleasesReadThem) {
  agrees("m2-5.1.0.json", [](const json& config) { return m2_values(config, false); });
  agrees("m2-5.18.0.json", [](const json& config) { return m2_values(config, true); });
}

TEST(OddConfigs, OfText01AreReadAsThePackageReadsThem) { agrees("text01.json", text01_values); }

}  // namespace
}  // namespace parity

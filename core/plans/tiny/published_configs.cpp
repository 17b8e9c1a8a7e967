// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/tiny/published_configs.hpp"

#include <fmt/ranges.h>

#include "core/error.hpp"

namespace parity {
namespace {

using nlohmann::json;

json repeated(int zeros, int ones) {
  json list = json::array();
  for (int i = 0; i < zeros; ++i) list.push_back(0);
  for (int i = 0; i < ones; ++i) list.push_back(1);
  return list;
}

json m3() {
  return {{"model_type", "minimax_m3_vl"},
          {"text_config",
           {{"vocab_size", 200064},
            {"hidden_size", 6144},
            {"intermediate_size", 3072},
            {"dense_intermediate_size", 12288},
            {"shared_intermediate_size", 3072},
            {"num_hidden_layers", 60},
            {"num_attention_heads", 64},
            {"num_key_value_heads", 4},
            {"head_dim", 128},
            {"rms_norm_eps", 1e-6},
            {"rope_theta", 5000000},
            {"partial_rotary_factor", 0.5},
            {"num_local_experts", 128},
            {"num_experts_per_tok", 4},
            {"routed_scaling_factor", 2.0},
            {"swiglu_alpha", 1.702},
            {"swiglu_limit", 7.0},
            {"moe_layer_freq", repeated(3, 57)},
            {"sparse_attention_config",
             {{"sparse_attention_freq", repeated(3, 57)},
              {"sparse_num_index_heads", 4},
              {"sparse_index_dim", 128},
              {"sparse_block_size", 128},
              {"sparse_topk_blocks", 16},
              {"sparse_local_block", 1}}}}}};
}

json m2() {
  return {{"model_type", "minimax_m2"}, {"vocab_size", 200064},    {"hidden_size", 3072},
          {"intermediate_size", 1536},  {"num_hidden_layers", 62}, {"num_attention_heads", 48},
          {"num_key_value_heads", 8},   {"head_dim", 128},         {"rms_norm_eps", 1e-6},
          {"rope_theta", 5000000},      {"rotary_dim", 64},        {"num_local_experts", 256},
          {"num_experts_per_tok", 8}};
}

/// Every eighth layer has softmax attention; the others have lightning attention.
json text01() {
  constexpr double kAlpha = 3.5565588200778455;
  json layers = json::array();
  for (int layer = 1; layer <= 80; ++layer) layers.push_back(layer % 8 == 0 ? "full_attention" : "linear_attention");
  return {{"model_type", "minimax"},
          {"vocab_size", 200064},
          {"hidden_size", 6144},
          {"intermediate_size", 9216},
          {"num_hidden_layers", 80},
          {"num_attention_heads", 64},
          {"num_key_value_heads", 8},
          {"head_dim", 128},
          {"rms_norm_eps", 1e-5},
          {"rope_theta", 10000000},
          {"rotary_dim", 64},
          {"num_local_experts", 32},
          {"num_experts_per_tok", 2},
          {"layer_types", layers},
          {"block_size", 256},
          {"full_attn_alpha_factor", kAlpha},
          {"full_attn_beta_factor", 1.0},
          {"linear_attn_alpha_factor", kAlpha},
          {"linear_attn_beta_factor", 1.0},
          {"mlp_alpha_factor", kAlpha},
          {"mlp_beta_factor", 1.0}};
}

const std::vector<std::pair<const char*, json (*)()>>& configs() {
  static const std::vector<std::pair<const char*, json (*)()>> list{{"m3", m3}, {"m2", m2}, {"text01", text01}};
  return list;
}

/// Keeps only the entries of the chosen layers in the per-layer list `key`.
void choose(json& object, const char* key, const std::vector<int64_t>& layers) {
  if (!object.contains(key)) return;
  json kept = json::array();
  for (const int64_t layer : layers) kept.push_back(object.at(key).at(static_cast<size_t>(layer)));
  object[key] = kept;
}

}  // namespace

std::vector<std::string> published_names() {
  std::vector<std::string> names;
  for (const auto& [name, config] : configs()) names.emplace_back(name);
  return names;
}

json published_config(const std::string& name) {
  for (const auto& [known, config] : configs()) {
    if (name == known) return config();
  }
  throw Error(ErrorCode::usage,
              fmt::format("published model '{}' is not known; use {}", name, fmt::join(published_names(), ", ")));
}

json some_layers(const json& config, const std::vector<int64_t>& layers, int64_t words) {
  json result = config;
  json& text = result.contains("text_config") ? result["text_config"] : result;
  const auto have = text.at("num_hidden_layers").get<int64_t>();
  PARITY_CHECK(words >= 2, usage, "--words {} is too small; use 2 or more", words);
  PARITY_CHECK(!layers.empty(), usage, "--layers selects no layer; use one or more of 0..{}", have - 1);
  for (const int64_t layer : layers)
    PARITY_CHECK(layer >= 0 && layer < have, usage, "layer {} does not exist; use 0..{}", layer, have - 1);
  for (const char* key : {"layer_types", "mlp_layer_types", "moe_layer_freq", "attn_type_list"})
    choose(text, key, layers);
  if (text.contains("sparse_attention_config"))
    choose(text["sparse_attention_config"], "sparse_attention_freq", layers);
  text["num_hidden_layers"] = layers.size();
  text["vocab_size"] = words;
  return result;
}

}  // namespace parity

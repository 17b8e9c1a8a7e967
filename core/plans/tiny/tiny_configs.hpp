// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One config.json per system, small enough to read, for tests that walk every plan.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace parity {

/// A tiny M3. Layer 0 has dense attention and a dense MLP, layer 1 sparse attention and experts, layer 2 dense
/// attention and experts. The vision tower has one layer.
inline constexpr const char* kTinyM3 = R"({"model_type": "minimax_m3_vl", "image_token_index": 17,
  "video_token_index": 18, "projector_hidden_size": 7, "text_config": {
  "vocab_size": 19, "hidden_size": 6, "intermediate_size": 5, "dense_intermediate_size": 7,
  "shared_intermediate_size": 3, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
  "head_dim": 8, "num_local_experts": 4, "num_experts_per_tok": 2, "index_n_heads": 2, "index_head_dim": 6,
  "index_block_size": 2, "index_topk_blocks": 2, "partial_rotary_factor": 0.5,
  "layer_types": ["full_attention", "minimax_m3_sparse", "full_attention"],
  "mlp_layer_types": ["dense", "sparse", "sparse"]},
  "vision_config": {"hidden_size": 16, "intermediate_size": 9, "num_hidden_layers": 1, "num_attention_heads": 2,
  "patch_size": 2}})";

/// A tiny M2. Half of the channels of each head rotate in releases that read rotary_dim.
inline constexpr const char* kTinyM2 = R"({"model_type": "minimax_m2", "vocab_size": 17, "hidden_size": 6,
  "intermediate_size": 5, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
  "num_local_experts": 5, "num_experts_per_tok": 2, "rotary_dim": 4})";

/// A tiny Text-01. Layers 0 and 2 have lightning attention in blocks of 2 tokens, layer 1 has softmax attention.
inline constexpr const char* kTinyText01 = R"({"model_type": "minimax", "vocab_size": 19, "hidden_size": 6,
  "intermediate_size": 5, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4,
  "rotary_dim": 2, "num_local_experts": 4, "num_experts_per_tok": 2, "block_size": 2,
  "layer_types": ["linear_attention", "full_attention", "linear_attention"],
  "full_attn_alpha_factor": 3.5, "full_attn_beta_factor": 0.75, "linear_attn_alpha_factor": 1.5,
  "linear_attn_beta_factor": 0.875, "mlp_alpha_factor": 2.25, "mlp_beta_factor": 0.625})";

inline nlohmann::json tiny_config(const std::string& system) {
  static const std::map<std::string, const char*> texts{
      {"minimax_m3_vl", kTinyM3}, {"minimax_m2", kTinyM2}, {"minimax_text_01", kTinyText01}};
  return nlohmann::json::parse(texts.at(system));
}

}  // namespace parity

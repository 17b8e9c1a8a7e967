// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// MiniMax-Text-01's configuration, read as the real package reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace parity {

/// Defaults are those of MiniMaxConfig (transformers 4.56.2 to 5.24.0).
struct Text01Config {
  int64_t vocab_size = 32000;
  int64_t hidden_size = 4096;
  int64_t intermediate_size = 14336;
  int64_t num_hidden_layers = 32;
  int64_t num_attention_heads = 32;
  int64_t num_key_value_heads = 8;
  int64_t head_dim = 0;    // absent: hidden_size / num_attention_heads
  int64_t rotary_dim = 0;  // published with the checkpoint; only the original code reads it, not the package
  double rms_norm_eps = 1e-5;
  double rope_theta = 1e6;
  bool tie_word_embeddings = false;
  int64_t num_local_experts = 8;
  int64_t num_experts_per_tok = 2;
  double router_aux_loss_coef = 1e-3;
  int64_t block_size = 256;
  double full_attn_alpha_factor = 1.0;
  double full_attn_beta_factor = 1.0;
  double linear_attn_alpha_factor = 1.0;
  double linear_attn_beta_factor = 1.0;
  double mlp_alpha_factor = 1.0;
  double mlp_beta_factor = 1.0;
  // Keys of the classification heads; the language model reads none of these.
  enum class Problem : uint8_t { single_label, regression, multi_label };
  int64_t num_labels = 2;
  int64_t pad_token = -1;              // pad_token_id; -1: none
  std::optional<Problem> problem;      // absent: regression if there is one label, otherwise by the type of the labels
  std::vector<bool> linear_attention;  // per layer; default: layers 1, 3, 5, …; layer 0 has softmax attention
};

/// Reads a config.json. Error{schema} names the key, its value and the expected one; Error{unsupported} is thrown for
/// what is not implemented (rope types, sliding windows, quantisation, other activations).
[[nodiscard]] Text01Config parse_text01_config(const nlohmann::json& config);

}  // namespace parity

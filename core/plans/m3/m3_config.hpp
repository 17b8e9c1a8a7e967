// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// MiniMax-M3's text configuration, read as the real package reads it.
#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/plans/quantisation.hpp"

namespace parity {

/// Defaults are those of MiniMaxM3VLTextConfig (transformers 5.12.0).
struct M3TextConfig {
  int64_t vocab_size = 200064;
  int64_t hidden_size = 6144;
  int64_t intermediate_size = 3072;  // of a routed expert
  int64_t dense_intermediate_size = 12288;
  int64_t shared_intermediate_size = 3072;
  int64_t num_hidden_layers = 60;
  int64_t num_attention_heads = 64;
  int64_t num_key_value_heads = 4;
  int64_t head_dim = 128;
  double rms_norm_eps = 1e-6;
  bool tie_word_embeddings = false;
  int64_t num_local_experts = 128;
  int64_t num_experts_per_tok = 4;
  double routed_scaling_factor = 2.0;
  double router_aux_loss_coef = 1e-3;
  double swiglu_alpha = 1.702;
  double swiglu_limit = 7.0;
  int64_t index_n_heads = 4;
  int64_t index_head_dim = 128;
  int64_t index_block_size = 128;
  int64_t index_topk_blocks = 16;
  int64_t index_local_blocks = 1;
  double rope_theta = 5e6;
  double partial_rotary_factor = 1.0;    // rotary_dim is never read: with defaults, whole heads rotate
  std::vector<bool> sparse_attention;    // per layer; default: all dense
  std::vector<bool> mixture_of_experts;  // per layer; default: all experts
  Quantisation quantisation;

  [[nodiscard]] int64_t rotary_width() const;    // int(head_dim * partial_rotary_factor)
  [[nodiscard]] bool has_sparse_layers() const;  // whether any layer reads the indexer's keys
};

/// Reads a published or legacy config.json, nested (text_config) or text-only. Error{schema} names the key, its value
/// and the expected one; Error{unsupported} is thrown for rope types and quantisations that are not implemented.
[[nodiscard]] M3TextConfig parse_m3_text_config(const nlohmann::json& config);

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// MiniMax-M2's configuration, read as the real package reads it.
#pragma once

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

#include "core/plans/quantisation.hpp"

namespace parity {

/// Defaults are those of MiniMaxM2Config (transformers 5.1.0).
struct M2Config {
  int64_t vocab_size = 200064;
  int64_t hidden_size = 3072;
  int64_t intermediate_size = 1536;
  int64_t num_hidden_layers = 62;
  int64_t num_attention_heads = 48;
  int64_t num_key_value_heads = 8;
  int64_t head_dim = 128;
  double rms_norm_eps = 1e-6;
  bool tie_word_embeddings = false;
  int64_t num_local_experts = 256;
  int64_t num_experts_per_tok = 8;
  double router_aux_loss_coef = 1e-3;
  double rope_theta = 5e6;
  double partial_rotary_factor = 1.0;
  Quantisation quantisation;

  [[nodiscard]] int64_t rotary_width() const;  // int(head_dim * partial_rotary_factor)
};

/// Reads a published config.json. `honours_rotary_dim`: whether the release reads rotary_dim (transformers 5.18.0 and
/// later); older releases rotate whole heads. Keys that no release reads (scoring_func, use_qk_norm, num_mtp_modules,
/// …) are ignored. Error{schema} names the key, its value and the expected one; Error{unsupported} is thrown for
/// activations and rope types that are not implemented.
[[nodiscard]] M2Config parse_m2_config(const nlohmann::json& config, bool honours_rotary_dim);

}  // namespace parity

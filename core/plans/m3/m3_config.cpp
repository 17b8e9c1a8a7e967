// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/m3/m3_config.hpp"

#include <algorithm>

#include "core/plans/config_reader.hpp"

namespace parity {
namespace {

using nlohmann::json;

constexpr int64_t kMostLocalBlocks = 65536;

void read_sizes(const ConfigReader& text, M3TextConfig& config) {
  text.integer("vocab_size", config.vocab_size);
  text.integer("hidden_size", config.hidden_size);
  text.integer("intermediate_size", config.intermediate_size);
  text.integer("dense_intermediate_size", config.dense_intermediate_size);
  text.integer("shared_intermediate_size", config.shared_intermediate_size);
  text.integer("num_hidden_layers", config.num_hidden_layers, 1, kMostLayers);
  text.integer("num_attention_heads", config.num_attention_heads);
  text.integer("num_key_value_heads", config.num_key_value_heads);
  text.integer("head_dim", config.head_dim);
  text.real("rms_norm_eps", config.rms_norm_eps);
  text.boolean("tie_word_embeddings", config.tie_word_embeddings);
  text.integer("num_local_experts", config.num_local_experts, 1, kMostExperts);
  text.integer("num_experts", config.num_local_experts, 1, kMostExperts);  // an attribute_map alias, which is set last
  text.integer("num_experts_per_tok", config.num_experts_per_tok);
  text.real("routed_scaling_factor", config.routed_scaling_factor);
  text.real("router_aux_loss_coef", config.router_aux_loss_coef);
  text.real("swiglu_alpha", config.swiglu_alpha);
  text.real("swiglu_limit", config.swiglu_limit);
}

/// Reads the flat keys, then the legacy dictionary, which overrides them.
void read_indexer(const ConfigReader& text, M3TextConfig& config) {
  text.integer("index_n_heads", config.index_n_heads);
  text.integer("index_head_dim", config.index_head_dim);
  text.integer("index_block_size", config.index_block_size);
  text.integer("index_topk_blocks", config.index_topk_blocks);
  text.integer("index_local_blocks", config.index_local_blocks, 0, kMostLocalBlocks);
  const json* legacy = text.object("sparse_attention_config");
  if (legacy == nullptr) return;
  const ConfigReader sparse(*legacy, Typing::filled);
  sparse.integer("sparse_num_index_heads", config.index_n_heads);
  sparse.integer("sparse_index_dim", config.index_head_dim);
  sparse.integer("sparse_block_size", config.index_block_size);
  sparse.integer("sparse_topk_blocks", config.index_topk_blocks);
  sparse.integer("sparse_local_block", config.index_local_blocks, 0, kMostLocalBlocks);
}

/// rope_scaling replaces rope_parameters; rope_theta and partial_rotary_factor inside of these override the flat keys.
void read_rope(const ConfigReader& text, M3TextConfig& config) {
  text.with(Typing::filled).real("rope_theta", config.rope_theta);
  text.with(Typing::lax).real("partial_rotary_factor", config.partial_rotary_factor);
  read_rope_parameters(text, config.rope_theta, config.partial_rotary_factor);
}

void read_layers(const ConfigReader& text, M3TextConfig& config) {
  const json* sparse = text.object("sparse_attention_config");
  const bool frequent = sparse != nullptr && sparse->contains("sparse_attention_freq");  // null is refused as a list
  const json* frequencies = frequent ? &sparse->at("sparse_attention_freq") : nullptr;
  config.sparse_attention = layer_flags(text, "layer_types", "minimax_m3_sparse", "full_attention", frequencies, false,
                                        config.num_hidden_layers, true);
  config.mixture_of_experts = layer_flags(text, "mlp_layer_types", "sparse", "dense", text.present("moe_layer_freq"),
                                          true, config.num_hidden_layers, true);
}

void check(const M3TextConfig& c) {
  check_decoder(c);
  check_partial_rotation(c);
  PARITY_CHECK(
      !c.has_sparse_layers() || c.rotary_width() <= c.index_head_dim, unsupported,
      "config: an index head has {} channels, but {} channels of each head rotate; the package rotates such index "
      "heads wrongly",
      c.index_head_dim, c.rotary_width());
}

}  // namespace

int64_t M3TextConfig::rotary_width() const {
  return static_cast<int64_t>(static_cast<double>(head_dim) * partial_rotary_factor);
}

bool M3TextConfig::has_sparse_layers() const {
  return std::find(sparse_attention.begin(), sparse_attention.end(), true) != sparse_attention.end();
}

M3TextConfig parse_m3_text_config(const nlohmann::json& config) {
  const ConfigReader top(config, Typing::strict);
  const json* nested = top.object("text_config");
  const ConfigReader text(nested == nullptr ? config : *nested, Typing::strict);
  M3TextConfig result;
  result.quantisation = read_quantisation(config);
  read_sizes(text, result);
  if (nested != nullptr && !result.tie_word_embeddings) top.boolean("tie_word_embeddings", result.tie_word_embeddings);
  read_indexer(text, result);
  read_rope(text, result);
  read_layers(text, result);
  check(result);
  return result;
}

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/text01/text01_config.hpp"

#include <map>

#include "core/plans/config_reader.hpp"

namespace parity {
namespace {

using nlohmann::json;

void read_sizes(const ConfigReader& top, Text01Config& config) {
  top.integer("vocab_size", config.vocab_size);
  top.integer("hidden_size", config.hidden_size);
  top.integer("intermediate_size", config.intermediate_size);
  top.integer("num_hidden_layers", config.num_hidden_layers, 1, kMostLayers);
  top.integer("num_attention_heads", config.num_attention_heads);
  if (top.present("num_key_value_heads") == nullptr && top.has("num_key_value_heads"))
    config.num_key_value_heads = config.num_attention_heads;  // null: the number of query heads
  const ConfigReader lax = top.with(Typing::lax);
  lax.integer("num_key_value_heads", config.num_key_value_heads);
  config.head_dim = config.hidden_size / config.num_attention_heads;
  lax.integer("head_dim", config.head_dim);
  config.rotary_dim = config.head_dim;
  lax.integer("rotary_dim", config.rotary_dim);
  top.real("rms_norm_eps", config.rms_norm_eps);
  top.real("rope_theta", config.rope_theta);
  double ignored = 1.0;  // the share of channels that rotate: the package rotates whole heads
  read_rope_parameters(top, config.rope_theta, ignored);  // written by transformers 5.0.0 and later releases
  lax.boolean("tie_word_embeddings", config.tie_word_embeddings);
  top.integer("num_local_experts", config.num_local_experts, 1, kMostExperts);
  top.integer("num_experts_per_tok", config.num_experts_per_tok);
  top.real("router_aux_loss_coef", config.router_aux_loss_coef);
  top.integer("block_size", config.block_size, 1, kMostTokensInBlock);
}

void read_factors(const ConfigReader& top, Text01Config& config) {
  top.real("full_attn_alpha_factor", config.full_attn_alpha_factor);
  top.real("full_attn_beta_factor", config.full_attn_beta_factor);
  top.real("linear_attn_alpha_factor", config.linear_attn_alpha_factor);
  top.real("linear_attn_beta_factor", config.linear_attn_beta_factor);
  top.real("mlp_alpha_factor", config.mlp_alpha_factor);
  top.real("mlp_beta_factor", config.mlp_beta_factor);
}

void read_layers(const ConfigReader& top, Text01Config& config) {
  if (top.present("layer_types") == nullptr) {
    for (int64_t layer = 0; layer < config.num_hidden_layers; ++layer)
      config.linear_attention.push_back((layer + 1) % 2 == 0);
    return;
  }
  config.linear_attention =
      layer_flags(top, "layer_types", "linear_attention", "full_attention", nullptr, false, config.num_hidden_layers);
}

/// id2label lists the labels and overrides num_labels.
void read_labels(const ConfigReader& top, Text01Config& config) {
  const ConfigReader lax = top.with(Typing::lax);
  lax.integer("num_labels", config.num_labels);
  const json* names = top.object("id2label");
  if (names != nullptr) config.num_labels = static_cast<int64_t>(names->size());
  PARITY_CHECK(config.num_labels > 0, schema, "config key 'id2label' is empty; expected one label or more");
  lax.integer("pad_token_id", config.pad_token, -1, config.vocab_size - 1);
  using Problem = Text01Config::Problem;
  const json* type = top.present("problem_type");
  if (type == nullptr) return;
  const std::map<json, Problem> known{{"single_label_classification", Problem::single_label},
                                      {"regression", Problem::regression},
                                      {"multi_label_classification", Problem::multi_label}};
  const auto found = known.find(*type);
  PARITY_CHECK(found != known.end(), schema,
               "config key 'problem_type' is {}; known: single_label_classification regression "
               "multi_label_classification",
               type->dump());
  config.problem = found->second;
}

/// Throws Error{unsupported} for keys that change the computation and are not implemented.
void refuse(const ConfigReader& top) {
  for (const char* key : {"quantization_config", "sliding_window"}) {
    const json* value = top.present(key);
    PARITY_CHECK(value == nullptr, unsupported, "config key '{}' is {}; not implemented for MiniMax-Text-01", key,
                 value->dump());
  }
  if (const json* scaling = top.object("rope_scaling")) {  // the package reads the type even of an empty object
    const ConfigReader rope(*scaling);
    const json* type = rope.has("rope_type") ? rope.present("rope_type") : rope.present("type");
    PARITY_CHECK(type != nullptr && *type == "default", unsupported,
                 "config key 'rope_scaling' is {}; not implemented for MiniMax-Text-01 but for the type \"default\"",
                 scaling->dump());
  }
  const json* act = top.present("hidden_act");
  PARITY_CHECK(act == nullptr || *act == "silu", unsupported, "config key 'hidden_act' is {}; only \"silu\" is known",
               act->dump());
  double factor = 1.0;
  top.with(Typing::lax).real("partial_rotary_factor", factor);
  PARITY_CHECK(factor == 1.0, unsupported,
               "config key 'partial_rotary_factor' is {}; the package rotates whole heads and supports only 1.0",
               factor);
}

void check(const Text01Config& c) {
  check_decoder(c);
  PARITY_CHECK(c.head_dim >= 2 && c.head_dim % 2 == 0, schema, "config: heads of {} channels; expected an even number",
               c.head_dim);
  PARITY_CHECK(c.rotary_dim % 2 == 0 && c.rotary_dim <= c.head_dim, schema,
               "config key 'rotary_dim' is {}; expected an even number up to {}", c.rotary_dim, c.head_dim);
}

}  // namespace

Text01Config parse_text01_config(const nlohmann::json& config) {
  const ConfigReader top(config, Typing::filled);
  Text01Config result;
  refuse(top);
  read_sizes(top, result);
  read_factors(top, result);
  read_layers(top, result);
  read_labels(top, result);
  check(result);
  return result;
}

}  // namespace parity

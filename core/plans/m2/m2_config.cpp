// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/m2/m2_config.hpp"

#include "core/plans/config_reader.hpp"

namespace parity {
namespace {

using nlohmann::json;

void read_sizes(const ConfigReader& reader, M2Config& config) {
  reader.integer("vocab_size", config.vocab_size);
  reader.integer("hidden_size", config.hidden_size);
  reader.integer("intermediate_size", config.intermediate_size);
  reader.integer("num_hidden_layers", config.num_hidden_layers, 1, kMostLayers);
  reader.integer("num_attention_heads", config.num_attention_heads);
  reader.integer("num_key_value_heads", config.num_key_value_heads);
  reader.integer("head_dim", config.head_dim);
  reader.real("rms_norm_eps", config.rms_norm_eps);
  reader.boolean("tie_word_embeddings", config.tie_word_embeddings);
  reader.integer("num_local_experts", config.num_local_experts, 1, kMostExperts);
  reader.integer("num_experts", config.num_local_experts, 1, kMostExperts);  // attribute_map alias: it is set last
  reader.integer("num_experts_per_tok", config.num_experts_per_tok);
  reader.real("router_aux_loss_coef", config.router_aux_loss_coef);
  const json* activation = reader.present("hidden_act");
  PARITY_CHECK(activation == nullptr || *activation == "silu", unsupported,
               "config key 'hidden_act' is {}; only \"silu\" is implemented", activation->dump());
}

/// The flat partial_rotary_factor overrides rotary_dim; rope_scaling replaces rope_parameters; rope_theta and
/// partial_rotary_factor inside of these override all flat keys.
void read_rope(const ConfigReader& reader, bool honours_rotary_dim, M2Config& config) {
  reader.with(Typing::filled).real("rope_theta", config.rope_theta);
  if (honours_rotary_dim) {
    int64_t rotary_dim = config.head_dim;
    reader.with(Typing::lax).integer("rotary_dim", rotary_dim);
    config.partial_rotary_factor = static_cast<double>(rotary_dim) / static_cast<double>(config.head_dim);
  }
  reader.with(Typing::lax).real("partial_rotary_factor", config.partial_rotary_factor);
  read_rope_parameters(reader, config.rope_theta, config.partial_rotary_factor);
}

}  // namespace

int64_t M2Config::rotary_width() const {
  return static_cast<int64_t>(static_cast<double>(head_dim) * partial_rotary_factor);
}

M2Config parse_m2_config(const json& config, bool honours_rotary_dim) {
  // Later releases (from 5.12.0 on) check types; earlier ones fail only on null.
  const ConfigReader reader(config, honours_rotary_dim ? Typing::strict : Typing::filled);
  M2Config result;
  result.quantisation = read_quantisation(config);
  read_sizes(reader, result);
  read_rope(reader, honours_rotary_dim, result);
  check_decoder(result);
  check_partial_rotation(result);
  return result;
}

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/m2_text.hpp"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/plans/decoder_call.hpp"
#include "core/plans/m2_config.hpp"

namespace parity {
namespace {

constexpr const char* kSystem = "minimax_m2";
constexpr const char* kModel = "model.";

/// Writes one call of the model into the plan; taps and published names follow docs/golden-format.md.
class M2TextCall : DecoderCall {
 public:
  M2TextCall(const M2Config& config, const PlanRequest& request, size_t call, PlanWriter& writer)
      : DecoderCall(request, call, writer), config_(config) {}

  void write() {
    begin(sizes());
    token_inputs();
    embed(std::string(kModel) + "embed_tokens.weight");
    rotary_tables(config_.rope_theta, config_.rotary_width());
    std::string stream = "text/embed/out";
    for (int64_t layer = 0; layer < config_.num_hidden_layers; ++layer)
      stream = decoder_layer(static_cast<int>(layer), stream);
    head(stream);
  }

 private:
  [[nodiscard]] AxisSizes sizes() const {
    return {{'B', call_.batch},
            {'S', call_.tokens},
            {'K', call_.keys},
            {'H', config_.hidden_size},
            {'F', config_.intermediate_size},
            {'V', config_.vocab_size},
            {'A', config_.num_attention_heads},
            {'G', config_.num_key_value_heads},
            {'D', config_.head_dim},
            {'E', config_.num_local_experts},
            {'T', config_.num_experts_per_tok},
            {'R', config_.rotary_width()}};
  }

  std::string decoder_layer(int layer, const std::string& stream) {
    prefix_ = fmt::format("text/layers/{:02}/", layer);
    weights_ = fmt::format("{}layers.{}.", kModel, layer);
    plan_.layer(layer);
    plan_.alias(prefix_ + "in", stream);
    plain_norm(prefix_ + "input_norm", stream, "B,S,H", weights_ + "input_layernorm.weight", "H");
    attention(prefix_ + "input_norm/out");
    residual(prefix_ + "attention_residual", stream, prefix_ + "attention/o_proj/out");
    plain_norm(prefix_ + "post_attention_norm", prefix_ + "attention_residual/out", "B,S,H",
               weights_ + "post_attention_layernorm.weight", "H");
    mixture(prefix_ + "post_attention_norm/out");
    residual(prefix_.substr(0, prefix_.size() - 1), prefix_ + "attention_residual/out", prefix_ + "moe/out");
    return prefix_ + "out";
  }

  /// Queries and keys are normalised over all heads together, before they are split.
  void attention(const std::string& x) {
    const std::string at = prefix_ + "attention/";
    const std::string published = weights_ + "self_attn.";
    projection(at + "q_proj", x, "B,S,H", published + "q_proj.weight", "AD,H", "B,S,AD");
    projection(at + "k_proj", x, "B,S,H", published + "k_proj.weight", "GD,H", "B,S,GD");
    projection(at + "v_proj", x, "B,S,H", published + "v_proj.weight", "GD,H", "B,S,GD");
    plain_norm(at + "q_norm", at + "q_proj/out", "B,S,AD", published + "q_norm.weight", "AD");
    plain_norm(at + "k_norm", at + "k_proj/out", "B,S,GD", published + "k_norm.weight", "GD");
    rope(at + "q_rope", at + "q_norm/out", "B,A,S,D");
    rope(at + "k_rope", at + "k_norm/out", "B,G,S,D");
    append("cache/k", at + "k_rope/out", "B,G,S,D", "B,G,K,D");
    append("cache/v", at + "v_proj/out", "B,G,S,D", "B,G,K,D");
    plan_.node("attention_dense", at + "core")
        .param("scale", 1.0 / std::sqrt(static_cast<double>(config_.head_dim)))
        .tap("q", at + "q_rope/out")
        .tap("k", prefix_ + "cache/k")
        .tap("v", prefix_ + "cache/v")
        .tap("mask", "tokens/attention_mask")
        .out("out", "out", "B,S,AD", TapType::working, "B,S,A,D");
    projection(at + "o_proj", at + "core/out", "B,S,AD", published + "o_proj.weight", "H,AD", "B,S,H");
  }

  /// Every layer has experts; no shared one, no scaling.
  void mixture(const std::string& x) {
    const std::string at = prefix_ + "moe/";
    const std::string published = weights_ + "block_sparse_moe.";
    router_logits(at + "router/logits", x, published + "gate.weight", config_.quantisation.router());
    plan_.node("router", at + "router")
        .param("top_k", config_.num_experts_per_tok)
        .param("eps", 0.0)
        .param("scaling", 1.0)
        .tap("logits", at + "router/logits")
        .weight("bias", {published + "e_score_correction_bias"}, "E", config_.quantisation.router())
        .out("scores", "scores", "N,E", TapType::single)
        .out("choice", "choice", "N,E", TapType::single)
        .out("indices", "indices", "N,T", TapType::index)
        .out("weights", "weights", "N,T", TapType::single);
    plan_.node("moe_experts", at + "experts")
        .param("alpha", 1.0)  // these three: silu(gate) up
        .param("limit", std::numeric_limits<double>::infinity())
        .param("linear_offset", 0.0)
        .tap("x", x, "N,H")
        .tap("indices", at + "router/indices")
        .tap("weights", at + "router/weights")
        .bank("gate_up", {published + "experts.{}.w1.weight", published + "experts.{}.w3.weight"}, "2F,H",
              config_.num_local_experts)
        .bank("down", {published + "experts.{}.w2.weight"}, "H,F", config_.num_local_experts)
        .out("slot_activation", "slot_activation", "N,T,F")
        .out("slot_weighted", "slot_weighted", "N,T,H", TapType::single)
        .out("out", "out", "N,H");
    plan_.node("moe_combine", prefix_ + "moe")
        .param("scaling", 1.0)
        .tap("routed", at + "experts/out")
        .out("out", "out", "B,S,H", TapType::working, "N,H");
    moe_logits_.push_back(at + "router/logits");
  }

  void head(const std::string& stream) {
    plan_.layer(-1);
    plain_norm("text/final_norm", stream, "B,S,H", std::string(kModel) + "norm.weight", "H");
    const std::string table =
        config_.tie_word_embeddings ? std::string(kModel) + "embed_tokens.weight" : "lm_head.weight";
    projection("text/lm_head", "text/final_norm/out", "B,S,H", table, "V,H", "B,S,V");
    losses(moe_logits_, config_.num_experts_per_tok, config_.router_aux_loss_coef, config_.quantisation.router());
  }

  void plain_norm(const std::string& at, const std::string& x, const std::string& axes, const std::string& published,
                  const std::string& width) {
    norm(at, x, axes, published, width, config_.rms_norm_eps, 0.0);
  }

  const M2Config& config_;
  std::vector<std::string> moe_logits_;
};

}  // namespace

Plan build_m2_text_plan(const nlohmann::json& json, const PlanRequest& request) {
  Plan plan = start_plan(kSystem, request);
  const Profile& profile = find_profile(kSystem, request.profile);
  const M2Config config = parse_m2_config(json, std::get<bool>(profile.config.at("rotary_dim")));
  PlanWriter writer(plan);
  for (size_t call = 0; call < request.calls.size(); ++call) M2TextCall(config, request, call, writer).write();
  finish_plan(writer, kSystem, request);
  if (config.quantisation.present) add_dequantise_nodes(config.quantisation, plan);
  return plan;
}

}  // namespace parity

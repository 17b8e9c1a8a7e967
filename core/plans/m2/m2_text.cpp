// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/m2/m2_text.hpp"

#include <nlohmann/json.hpp>

#include "core/plans/decoder_call.hpp"
#include "core/plans/m2/m2_config.hpp"

namespace parity {
namespace {

constexpr const char* kM2System = "minimax_m2";
constexpr const char* kM2Model = "model.";

/// Writes one call of the model into the plan; taps and published names follow docs/golden-format.md.
class M2TextCall : DecoderCall {
 public:
  M2TextCall(const M2Config& config, const PlanRequest& request, size_t call, PlanWriter& writer)
      : DecoderCall(request, call, writer), config_(config) {}

  void write() {
    begin(sizes());
    if (call_.edits) return edit_layers(config_.num_hidden_layers, [&](int64_t) { edit_keys_and_values(); });
    token_inputs();
    embed(std::string(kM2Model) + "embed_tokens.weight");
    rotary_tables(config_.rope_theta, config_.rotary_width());
    std::string stream = "text/embed/out";
    stream = decoder_layers(config_.num_hidden_layers, stream,
                            [&](int layer, const std::string& input) { return decoder_layer(layer, input); });
    if (!stream.empty()) head(stream);
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
    weights_ = fmt::format("{}layers.{}.", kM2Model, layer);
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

  /// Writes attention. Its queries and keys are normalised over all heads together, before they are split.
  void attention(const std::string& x) {
    const std::string at = prefix_ + "attention/";
    const std::string published = weights_ + "self_attn.";
    projections(at, x, published);
    plain_norm(at + "q_norm", at + "q_proj/out", "B,S,AD", published + "q_norm.weight", "AD");
    plain_norm(at + "k_norm", at + "k_proj/out", "B,S,GD", published + "k_norm.weight", "GD");
    rotate_and_append(at, at + "q_norm/out", at + "k_norm/out", at + "v_proj/out");
    attention_out(attention_core("attention_dense", at, config_.head_dim), at, published);
  }

  /// Writes the routed experts, which all layers have; there is no shared expert and no scaling.
  void mixture(const std::string& x) {
    const std::string at = prefix_ + "moe/";
    const std::string published = weights_ + "block_sparse_moe.";
    router_logits(at + "router/logits", x, published + "gate.weight", config_.quantisation.router());
    sigmoid_router(at, config_.num_experts_per_tok, published, config_.quantisation.router());
    experts("moe_experts", at + "experts", at, x, published, config_.num_local_experts, {})
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
    plain_norm("text/final_norm", stream, "B,S,H", std::string(kM2Model) + "norm.weight", "H");
    lm_head(kM2Model, "lm_head.weight", config_.tie_word_embeddings);
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

Plan build_m2_text_plan(const nlohmann::json& published, const PlanRequest& request) {
  Plan plan = start_plan(kM2System, request);
  const Profile& profile = find_profile(kM2System, request.profile);
  const M2Config config = parse_m2_config(published, profile.does("rotary_dim"));
  PlanWriter writer(plan);
  for (size_t call = 0; call < request.calls.size(); ++call) M2TextCall(config, request, call, writer).write();
  finish_plan(writer, kM2System, request);
  if (config.quantisation.present) add_dequantise_nodes(config.quantisation, plan);
  return plan;
}

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/m3/m3_text.hpp"

#include <algorithm>

#include "core/plans/decoder_call.hpp"
#include "core/plans/m3/m3_vision.hpp"

namespace parity {
namespace {

constexpr const char* kM3System = "minimax_m3_vl";
constexpr const char* kM3Model = "language_model.model.";

/// Writes one call of the model into the plan; taps and published names follow docs/golden-format.md.
class M3TextCall : DecoderCall {
 public:
  M3TextCall(const M3TextConfig& config, const M3VisionConfig* vision, const PlanRequest& request, size_t call,
             PlanWriter& writer)
      : DecoderCall(request, call, writer),
        config_(config),
        vision_(vision),
        profile_(find_profile(kM3System, request.profile)),
        per_group_(std::get<bool>(profile_.settings.at("index_block_scores.per_group"))) {}

  void write() {
    begin(sizes());
    if (call_.edits) return edit_caches();
    refuse_short_index();
    const auto features = towers();
    if (call_.tokens == 0) return;
    token_inputs();
    embed(std::string(kM3Model) + "embed_tokens.weight");
    std::string stream = splice(features);
    rotary_tables(config_.rope_theta, config_.rotary_width());
    stream = decoder_layers(config_.num_hidden_layers, stream,
                            [&](int layer, const std::string& input) { return decoder_layer(layer, input); });
    if (!stream.empty()) head(stream);
  }

 private:
  [[nodiscard]] AxisSizes sizes() const {
    const int64_t blocks = (slots() + config_.index_block_size - 1) / config_.index_block_size;
    return {{'B', call_.batch},
            {'S', call_.tokens},
            {'K', call_.keys},
            {'H', config_.hidden_size},
            {'V', config_.vocab_size},
            {'A', config_.num_attention_heads},
            {'G', config_.num_key_value_heads},
            {'D', config_.head_dim},
            {'X', config_.index_n_heads},
            {'I', config_.index_head_dim},
            {'J', blocks},
            {'E', config_.num_local_experts},
            {'R', config_.rotary_width()}};
  }

  /// Writes one run of the tower per kind of media. Returns the name of the features' tap, by kind.
  std::map<std::string, std::string> towers() {
    std::map<std::string, std::string> features;
    for (const Media& media : call_.media) {
      PARITY_CHECK(vision_ != nullptr, unsupported, "call {} has {} patches; config.json has no vision tower for them",
                   call_.id, media.kind);
      features[media.kind] = write_m3_tower(plan_, *vision_, config_.hidden_size, media, profile_);
    }
    return features;
  }

  /// Writes the splice if the call has media. Returns the name of the tap that the first layer reads.
  std::string splice(const std::map<std::string, std::string>& features) {
    if (features.empty()) return "text/embed/out";
    auto node = plan_.node("splice", "splice");
    node.param("image_token", vision_->image_token).param("video_token", vision_->video_token);
    node.tap("x", "text/embed/out").tap("ids", "tokens/input_ids");
    for (const auto& [kind, tap] : features) node.tap(kind, tap);
    node.out("out", "out", "B,S,H");
    return "splice/out";
  }

  void edit_caches() {
    edit_layers(config_.num_hidden_layers, [&](int64_t layer) {
      edit_keys_and_values();
      if (config_.sparse_attention[static_cast<size_t>(layer)]) edit("cache/index_k", "B,1,K,I", dropped_again(call_));
    });
  }

  /// Index keys that a release drops in addition to keys: it applies a negative crop to the length already cropped.
  [[nodiscard]] int64_t dropped_again(const Call& call) const {
    return call.edits && profile_.does("index_cropped_twice") ? std::max<int64_t>(-call.edits->crop, 0) : 0;
  }

  /// Throws if an earlier call cropped more index keys than keys, because their slots then have different tokens.
  void refuse_short_index() const {
    for (size_t call = 0; call < index_; ++call) {
      PARITY_CHECK(!config_.has_sparse_layers() || dropped_again(request_.calls[call]) == 0, unsupported,
                   "call {} follows a negative crop of the cache, which {} applies to the index keys twice; end the "
                   "recording before it",
                   call_.id, request_.profile);
    }
  }

  std::string decoder_layer(int layer, const std::string& stream) {
    prefix_ = fmt::format("text/layers/{:02}/", layer);
    weights_ = fmt::format("{}layers.{}.", kM3Model, layer);
    plan_.layer(layer);
    plan_.alias(prefix_ + "in", stream);
    norm(prefix_ + "input_norm", stream, "B,S,H", weights_ + "input_layernorm.weight", "H");
    attention(layer, prefix_ + "input_norm/out");
    residual(prefix_ + "attention_residual", stream, prefix_ + "attention/o_proj/out");
    norm(prefix_ + "post_attention_norm", prefix_ + "attention_residual/out", "B,S,H",
         weights_ + "post_attention_layernorm.weight", "H");
    const bool experts = config_.mixture_of_experts[static_cast<size_t>(layer)];
    const std::string branch =
        experts ? mixture(prefix_ + "post_attention_norm/out") : dense_mlp(prefix_ + "post_attention_norm/out");
    residual(prefix_.substr(0, prefix_.size() - 1), prefix_ + "attention_residual/out", branch);
    return prefix_ + "out";
  }

  void attention(int layer, const std::string& x) {
    const std::string at = prefix_ + "attention/";
    projections(at, x, weights_ + "self_attn.");
    norm(at + "q_norm", at + "q_proj/out", "B,S,A,D", weights_ + "self_attn.q_norm.weight", "D");
    norm(at + "k_norm", at + "k_proj/out", "B,S,G,D", weights_ + "self_attn.k_norm.weight", "D");
    rotate_and_append(at, at + "q_norm/out", at + "k_norm/out", at + "v_proj/out");
    const bool sparse = config_.sparse_attention[static_cast<size_t>(layer)];
    if (sparse) indexer(at + "indexer/", x);
    auto core = attention_core(sparse ? "attention_block_sparse" : "attention_dense", at, config_.head_dim);
    if (sparse) core.param("block_size", config_.index_block_size).tap("blocks", at + "indexer/block_indices");
    attention_out(core, at, weights_ + "self_attn.");
  }

  void indexer(const std::string& at, const std::string& x) {
    projection(at + "q_proj", x, "B,S,H", weights_ + "self_attn.index_q_proj.weight", "XI,H", "B,S,XI");
    projection(at + "k_proj", x, "B,S,H", weights_ + "self_attn.index_k_proj.weight", "I,H", "B,S,I");
    norm(at + "q_norm", at + "q_proj/out", "B,S,X,I", weights_ + "self_attn.index_q_norm.weight", "I");
    norm(at + "k_norm", at + "k_proj/out", "B,S,1,I", weights_ + "self_attn.index_k_norm.weight", "I");
    rope(at + "q_rope", at + "q_norm/out", "B,X,S,I");
    rope(at + "k_rope", at + "k_norm/out", "B,1,S,I");
    append("cache/index_k", at + "k_rope/out", "B,1,S,I", "B,1,K,I");
    const int64_t blocks = plan_.size('J');
    plan_.set_size('T', std::min(config_.index_topk_blocks, blocks));
    plan_.node("index_block_scores", at.substr(0, at.size() - 1))
        .param("block_size", config_.index_block_size)
        .param("scale", 1.0)
        .tap("q", at + "q_rope/out")
        .tap("k", prefix_ + "cache/index_k")
        .tap("positions", "tokens/position_ids")
        .out("scores", "scores", "B,X,S,K", TapType::single)
        .out("block_scores", "block_scores", per_group_ ? "B,X,S,J" : "B,S,J", TapType::single);
    plan_.node("index_select", at.substr(0, at.size() - 1))
        .param("block_size", config_.index_block_size)
        .param("top_k", config_.index_topk_blocks)
        .param("local_blocks", config_.index_local_blocks)
        .tap("block_scores", at + "block_scores")
        .tap("positions", "tokens/position_ids")
        .out("blocks", "block_indices", per_group_ ? "B,X,S,T" : "B,S,T", TapType::index);
  }

  std::string dense_mlp(const std::string& x) {
    plan_.set_size('F', config_.dense_intermediate_size);
    return swiglu_mlp(prefix_ + "mlp/", x, "B,S", weights_ + "mlp.");
  }

  /// Writes gate_up, activation and down of the dense MLP or the shared expert; `rows` are the leading axes of x.
  std::string swiglu_mlp(const std::string& at, const std::string& x, const std::string& rows,
                         const std::string& published) {
    plan_.node("linear", at + "gate_up")
        .tap("x", x, rows + ",H")
        .weight("weight", {published + "gate_proj.weight", published + "up_proj.weight"}, "2F,H")
        .out("out", "out", rows + ",2F");
    plan_.node("swiglu", at + "activation")
        .param("alpha", config_.swiglu_alpha)
        .param("limit", config_.swiglu_limit)
        .param("linear_offset", 1.0)
        .tap("gate_up", at + "gate_up/out")
        .out("out", "out", rows + ",F");
    projection(at + "down", at + "activation/out", rows + ",F", published + "down_proj.weight", "H,F", rows + ",H");
    return at + "down/out";
  }

  std::string mixture(const std::string& x) {
    const std::string at = prefix_ + "moe/";
    const std::string published = weights_ + "block_sparse_moe.";
    plan_.set_size('F', config_.shared_intermediate_size);
    const std::string shared = swiglu_mlp(at + "shared/", x, "N", published + "shared_experts.");
    plan_.set_size('T', config_.num_experts_per_tok);
    plan_.set_size('F', config_.intermediate_size);
    router_logits(at + "router/logits", x, published + "gate.weight", config_.quantisation.router());
    sigmoid_router(at, config_.num_experts_per_tok, published, config_.quantisation.router());
    experts("moe_experts", at + "experts", at, x, published, config_.num_local_experts,
            {config_.swiglu_alpha, config_.swiglu_limit, 1.0})
        .out("slot_activation", "slot_activation", "N,T,F")
        .out("slot_weighted", "slot_weighted", "N,T,H", TapType::single)
        .out("out", "out", "N,H");
    plan_.node("moe_combine", prefix_ + "moe")
        .param("scaling", config_.routed_scaling_factor)
        .tap("routed", at + "experts/out")
        .tap("shared", shared)
        .out("out", "out", "B,S,H", TapType::working, "N,H");
    moe_logits_.push_back(at + "router/logits");
    return at + "out";
  }

  void head(const std::string& stream) {
    plan_.layer(-1);
    norm("text/final_norm", stream, "B,S,H", std::string(kM3Model) + "norm.weight", "H");
    lm_head(kM3Model, "language_model.lm_head.weight", config_.tie_word_embeddings);
    losses(moe_logits_, config_.num_experts_per_tok, config_.router_aux_loss_coef, config_.quantisation.router());
  }

  void norm(const std::string& at, const std::string& x, const std::string& axes, const std::string& published,
            const std::string& width) {
    DecoderCall::norm(at, x, axes, published, width, config_.rms_norm_eps);
  }

  const M3TextConfig& config_;
  const M3VisionConfig* vision_;
  const Profile& profile_;
  bool per_group_;
  std::vector<std::string> moe_logits_;
};

}  // namespace

Plan build_m3_text_plan(const M3TextConfig& config, const PlanRequest& request, const M3VisionConfig* vision) {
  const auto& calls = request.calls;
  const auto alone =
      std::count_if(calls.begin(), calls.end(), [](const Call& call) { return call.tokens == 0 && !call.edits; });
  PARITY_CHECK(alone == 0 || alone == static_cast<int64_t>(calls.size()), unsupported,
               "{} of {} calls run only the vision tower; record those in a separate golden", alone, calls.size());
  Plan plan = start_plan(kM3System, request);
  PlanWriter writer(plan);
  const Profile& profile = find_profile(kM3System, request.profile);
  const bool per_group = std::get<bool>(profile.settings.at("index_block_scores.per_group"));
  // With a list per index head, each list serves A / X query heads; a single list serves any number.
  PARITY_CHECK(!per_group || !config.has_sparse_layers() || config.num_attention_heads % config.index_n_heads == 0,
               schema, "config: {} attention heads are not a multiple of {} index heads, as profile {} needs",
               config.num_attention_heads, config.index_n_heads, request.profile);
  for (size_t call = 0; call < calls.size(); ++call) M3TextCall(config, vision, request, call, writer).write();
  finish_plan(writer, kM3System, request);
  if (config.quantisation.present) add_dequantise_nodes(config.quantisation, plan);
  return plan;
}

}  // namespace parity

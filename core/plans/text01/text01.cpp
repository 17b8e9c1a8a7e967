// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/text01/text01.hpp"

#include "core/plans/decoder_call.hpp"
#include "core/plans/text01/text01_heads.hpp"

namespace parity {
namespace {

constexpr const char* kText01 = "minimax_text_01";
constexpr double kPlain = 0.0;          // gain offset of a plain norm
constexpr double kLightningEps = 1e-6;  // the norm inside lightning attention is built without config.rms_norm_eps

/// Writes one call of the model into the plan; taps and published names follow docs/golden-format.md.
class Text01Call : DecoderCall {
 public:
  Text01Call(const Text01Config& config, const PlanRequest& request, size_t call, const Profile& profile,
             PlanWriter& writer)
      : DecoderCall(request, call, writer), config_(config), profile_(profile) {}

  void write() {
    if (index_ == 0) tables();
    PARITY_CHECK(
        !mask_is_short() || call_.tokens == 1 || call_.edits, unsupported,
        "call {} has {} tokens and continues a cache whose layer 0 has no keys; the package fails there, record one "
        "token per call",
        call_.id, call_.tokens);
    begin(sizes());
    if (call_.edits) return edit_caches();
    token_inputs();
    embed("model.embed_tokens.weight");
    rotary_tables(config_.rope_theta, rotary_width(), type_of("rotary_tables.out"));
    std::string stream = "text/embed/out";
    for (int64_t layer = 0; layer < config_.num_hidden_layers; ++layer)
      stream = decoder_layer(static_cast<int>(layer), stream);
    head(stream);
  }

 private:
  [[nodiscard]] int64_t rotary_width() const {
    return profile_.does("rotary_dim") ? config_.rotary_dim : config_.head_dim;
  }

  [[nodiscard]] AxisSizes sizes() const {
    return {{'B', call_.batch},
            {'S', call_.tokens},
            {'K', call_.keys},
            {'H', config_.hidden_size},
            {'V', config_.vocab_size},
            {'A', config_.num_attention_heads},
            {'G', config_.num_key_value_heads},
            {'D', config_.head_dim},
            {'J', states()},
            {'Q', config_.block_size},
            {'F', config_.intermediate_size},
            {'E', config_.num_local_experts},
            {'T', config_.num_experts_per_tok},
            {'R', rotary_width()}};
  }
  /// Number of recorded states: before the first and after each block of a prefill, or each token of a later call.
  [[nodiscard]] int64_t states() const {
    const int64_t size = index_ == 0 ? config_.block_size : 1;
    return 1 + (call_.tokens + size - 1) / size;
  }

  [[nodiscard]] bool linear(int64_t layer) const { return config_.linear_attention[static_cast<size_t>(layer)]; }

  /// Writes the decay tables, which belong to the model, not to a call. A binary64 recording ignores stored ones.
  void tables() {
    plan_.begin_call(0, "", sizes());
    const bool stored = request_.stored_decays && request_.working != DType::f64;
    for (int64_t layer = 0; layer < config_.num_hidden_layers; ++layer) {
      if (!linear(layer)) continue;
      plan_.layer(static_cast<int>(layer));
      auto node = plan_.node("lightning_tables", decays(layer));
      node.param("layer", layer).param("layers", config_.num_hidden_layers);
      for (const auto& [name, axes] : kDecays) {
        if (stored)
          node.weight(std::string("stored_") + name, {fmt::format("model.layers.{}.self_attn.{}", layer, name)}, axes);
        node.out(name, name, axes, type_of("lightning_tables.decay"));
      }
    }
  }
  [[nodiscard]] static std::string decays(int64_t layer) {
    return fmt::format("tables/text/layers/{:02}/attention", layer);
  }

  /// Writes the edited caches. States cannot be cropped, because they do not contain single tokens.
  void edit_caches() {
    PARITY_CHECK(
        call_.edits->crop == 0, unsupported,
        "call {} crops the cache, which the package cannot do for lightning attention; record it without the crop",
        call_.id);
    PARITY_CHECK(
        call_.edits->given.empty(), unsupported,
        "call {} has the contents of caches as input, which profile {} does not support; record the whole prefill",
        call_.id, request_.profile);
    // MiniMaxCache inherits beam search's reordering, which changes only keys and values.
    edit_layers(config_.num_hidden_layers, [&](int64_t layer) {
      linear(layer) ? edit("cache/state", "B,A,D,D", 0, !call_.edits->reorder) : edit_keys_and_values();
    });
  }

  std::string decoder_layer(int layer, const std::string& stream) {
    prefix_ = fmt::format("text/layers/{:02}/", layer);
    weights_ = fmt::format("model.layers.{}.", layer);
    plan_.layer(layer);
    plan_.alias(prefix_ + "in", stream);
    // The residual is the normalised stream.
    norm(prefix_ + "input_norm", stream, "B,S,H", weights_ + "input_layernorm.weight", "H");
    const std::string x = prefix_ + "input_norm/out";
    if (linear(layer)) {
      lightning(layer, x);
      residual(prefix_ + "attention_residual", x, prefix_ + "attention/out_proj/out", config_.linear_attn_alpha_factor,
               config_.linear_attn_beta_factor);
    } else {
      attention(x);
      residual(prefix_ + "attention_residual", x, prefix_ + "attention/o_proj/out", config_.full_attn_alpha_factor,
               config_.full_attn_beta_factor);
    }
    const std::string y = prefix_ + "post_attention_norm/out";
    norm(prefix_ + "post_attention_norm", prefix_ + "attention_residual/out", "B,S,H",
         weights_ + "post_attention_layernorm.weight", "H");
    mixture(y);
    residual(prefix_.substr(0, prefix_.size() - 1), y, prefix_ + "moe/out", config_.mlp_alpha_factor,
             config_.mlp_beta_factor);
    return prefix_ + "out";
  }

  void attention(const std::string& x) {
    const std::string at = prefix_ + "attention/";
    projections(at, x, weights_ + "self_attn.");
    rotate_and_append(at, at + "q_proj/out", at + "k_proj/out", at + "v_proj/out");
    auto core = attention_core("attention_dense", at, config_.head_dim);
    core.param("first_slot_masks", mask_is_short());
    attention_out(core, at, weights_ + "self_attn.");
  }

  /// The package takes the number of cached tokens from layer 0. If that layer has no keys, a later call's mask covers
  /// only the slots of that call. With one new token it is broadcast over all slots, so padding is seen.
  [[nodiscard]] bool mask_is_short() const { return index_ > 0 && linear(0) && profile_.does("mask_from_layer_0"); }

  void lightning(int layer, const std::string& x) {
    const std::string at = prefix_ + "attention/";
    projection(at + "qkv_proj", x, "B,S,H", weights_ + "self_attn.qkv_proj.weight", "3AD,H", "B,S,3AD");
    plan_.node("silu", at + "qkv_activation").tap("x", at + "qkv_proj/out").out("out", "out", "B,S,3AD");
    std::string qkv = at + "qkv_activation/out";
    if (profile_.does("padding_masks_qkv") && call_.tokens > 1) {
      plan_.node("lightning_mask", at + "qkv_masked")
          .param("multiplies", true)
          .tap("v", qkv, "B,1,S,3AD")
          .tap("mask", "tokens/attention_mask")
          .out("out", "out", "B,S,3AD", TapType::working, "B,1,S,3AD");
      qkv = at + "qkv_masked/out";
    }
    plan_.node("lightning_split", at)
        .tap("qkv", qkv)
        .out("q", "q/out", "B,A,S,D")
        .out("k", "k/out", "B,A,S,D")
        .out("v", "v/out", "B,A,S,D");
    if (masks_values()) {
      plan_.node("lightning_mask", at + "v_masked")
          .tap("v", at + "v/out")
          .tap("mask", "tokens/attention_mask")
          .out("out", "out", "B,A,S,D");
    }
    recurrence(layer, at);
    DecoderCall::norm(at + "norm", at + "core/out", "B,S,AD", weights_ + "self_attn.norm.weight", "AD", kLightningEps,
                      kPlain);
    projection(at + "output_gate", x, "B,S,H", weights_ + "self_attn.output_gate.weight", "AD,H", "B,S,AD");
    plan_.node("sigmoid_gate", at + "gated")
        .tap("gate", at + "output_gate/out")
        .tap("x", at + "norm/out")
        .out("out", "out", "B,S,AD");
    projection(at + "out_proj", at + "gated/out", "B,S,AD", weights_ + "self_attn.out_proj.weight", "H,AD", "B,S,H");
  }

  /// Whether padding is masked in the values alone, and not in later calls.
  [[nodiscard]] bool masks_values() const { return index_ == 0 && !profile_.does("padding_masks_qkv"); }

  void recurrence(int layer, const std::string& at) {
    const TapType kept = type_of("lightning_attention.state");
    auto node = plan_.node("lightning_attention", prefix_);
    node.tap("q", at + "q/out").tap("k", at + "k/out").tap("v", at + (masks_values() ? "v_masked/out" : "v/out"));
    for (const auto& [name, axes] : kDecays) node.whole_tap(name, decays(layer) + "/" + name);
    if (index_ > 0) {
      node.whole_tap("past", past(prefix_ + "cache/state"));
    } else {
      node.out("intra", "attention/intra/out", "B,A,S,D", kept).out("inter", "attention/inter/out", "B,A,S,D", kept);
    }
    node.out("out", "attention/core/out", "B,A,S,D")
        .out("block_states", "attention/block_states", "J,B,A,D,D", kept)
        .out("state", "cache/state", "B,A,D,D", kept);
  }
  /// Type in which a tap is recorded, by its last rounding: the original code keeps state and tables in binary32.
  [[nodiscard]] TapType type_of(const char* point) const {
    const auto row = profile_.rounding.find(point);
    return row != profile_.rounding.end() && row->second == Precision::single ? TapType::single : TapType::working;
  }

  void mixture(const std::string& x) {
    const std::string at = prefix_ + "moe/";
    const std::string published = weights_ + "block_sparse_moe.";
    projection(at + "router/logits", x, "N,H", published + "gate.weight", "E,H", "N,E", "");
    plan_.node("softmax_router", at + "router")
        .param("top_k", config_.num_experts_per_tok)
        .tap("logits", at + "router/logits")
        .out("scores", "scores", "N,E", TapType::single)
        .out("indices", "indices", "N,T", TapType::index)
        .out("weights", "weights", "N,T", type_of("softmax_router.out"));
    experts("moe_experts", prefix_ + "moe", at, x, published, config_.num_local_experts, {})
        .out("slot_activation", "experts/slot_activation", "N,T,F")
        .out("slot_weighted", "experts/slot_weighted", "N,T,H", TapType::single)
        .out("out", "out", "B,S,H", TapType::working, "N,H");
    moe_logits_.push_back(at + (profile_.does("router_returns_scores") ? "router/scores" : "router/logits"));
  }

  void head(const std::string& stream) {
    plan_.layer(-1);
    norm("text/final_norm", stream, "B,S,H", "model.norm.weight", "H");
    if (request_.head != Head::language) return write_text01_head(plan_, config_, request_.head, call_);
    lm_head("model.", "lm_head.weight", config_.tie_word_embeddings);
    losses(moe_logits_, config_.num_experts_per_tok, config_.router_aux_loss_coef);
  }

  void norm(const std::string& at, const std::string& x, const std::string& axes, const std::string& published,
            const std::string& width) {
    DecoderCall::norm(at, x, axes, published, width, config_.rms_norm_eps, kPlain);
  }

  void residual(const std::string& at, const std::string& stream, const std::string& branch, double alpha,
                double beta) {
    plan_.node("residual_add", at)
        .param("residual_factor", alpha)
        .param("branch_factor", beta)
        .tap("residual", stream)
        .tap("branch", branch)
        .out("out", "out", "B,S,H");
  }

  static constexpr std::pair<const char*, const char*> kDecays[] = {
      {"slope_rate", "A,1,1"}, {"query_decay", "A,Q,1"}, {"key_decay", "A,Q,1"}, {"diagonal_decay", "1,A,Q,Q"}};

  const Text01Config& config_;
  const Profile& profile_;
  std::vector<std::string> moe_logits_;
};

}  // namespace

Plan build_text01_plan(const Text01Config& config, const PlanRequest& request) {
  refuse_static_cache(request, "MiniMaxModel only accepts its own growing cache; record the golden again");
  Plan plan = start_plan(kText01, request);
  PlanWriter writer(plan);
  const Profile& profile = find_profile(kText01, request.profile);
  for (size_t call = 0; call < request.calls.size(); ++call) Text01Call(config, request, call, profile, writer).write();
  finish_plan(writer, kText01, request);
  return plan;
}

}  // namespace parity

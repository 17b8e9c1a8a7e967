// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/nemo_m3.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/plans/decoder_call.hpp"
#include "core/plans/m3_vision.hpp"
#include "core/plans/nemo_m3_config.hpp"

namespace parity {
namespace {

constexpr const char* kSystem = "minimax_m3_vl";
constexpr const char* kModel = "language_model.model.";
constexpr double kRouterEps = 1e-20;
constexpr const char* kSlots = "text/slots";

/// One decoder layer: where its taps and its parameters are, and its kind.
struct Layer {
  std::string taps;     // "text/layers/03/"
  std::string weights;  // "language_model.model.layers.3."
  bool sparse = false;
  bool experts = false;
};

class NemoCall : DecoderCall {
 public:
  NemoCall(const NemoM3Config& config, const M3VisionConfig* vision, const PlanRequest& request, size_t call,
           PlanWriter& writer)
      : DecoderCall(request, call, writer),
        config_(config),
        text_(config.text),
        vision_(vision),
        profile_(find_profile(kSystem, request.profile)) {}

  void write() {
    begin(sizes());
    const auto features = towers();
    if (call_.tokens == 0) return;
    inputs();
    embed(std::string(kModel) + "embed_tokens.weight");
    std::string stream = splice(features);
    tables();
    for (size_t layer = 0; layer < static_cast<size_t>(text_.num_hidden_layers); ++layer) {
      plan_.layer(static_cast<int>(layer));
      stream = decoder_layer({fmt::format("text/layers/{:02}/", layer), fmt::format("{}layers.{}.", kModel, layer),
                              text_.sparse_attention[layer], text_.mixture_of_experts[layer]},
                             stream);
    }
    plan_.layer(-1);
    norm("text/final_norm", stream, "B,S,H", std::string(kModel) + "norm.weight", "H");
    head("text/lm_head", "text/final_norm/out");
    if (call_.training) further_tokens();
    if (call_.labels) loss();
  }

 private:
  [[nodiscard]] AxisSizes sizes() const {
    return {{'B', call_.batch},
            {'S', call_.tokens},
            {'K', call_.tokens},
            {'H', text_.hidden_size},
            {'V', text_.vocab_size},
            {'A', text_.num_attention_heads},
            {'G', text_.num_key_value_heads},
            {'D', text_.head_dim},
            {'X', text_.index_n_heads},
            {'I', text_.index_head_dim},
            {'J', (call_.tokens + text_.index_block_size - 1) / text_.index_block_size},
            {'E', text_.num_local_experts},
            {'R', config_.rotary_width}};
  }

  /// Position ids and mask are optional: slots and all tokens stand in for them.
  void inputs() {
    plan_.input("tokens/input_ids", "B,S");
    if (call_.positions) plan_.input("tokens/position_ids", "B,S");
    if (call_.mask) plan_.input("tokens/attention_mask", "B,S");
    if (call_.labels) plan_.input("tokens/labels", "B,S");
    if (call_.packed_factor > 0.0) plan_.input("tokens/seq_idx", "B,S");
    plan_.node("slot_positions", kSlots).tap("ids", "tokens/input_ids").out("out", "", "B,S", TapType::count);
  }

  std::map<std::string, std::string> towers() {
    std::map<std::string, std::string> features;
    for (const Media& media : call_.media) {
      PARITY_CHECK(vision_ != nullptr, unsupported, "call {} has {} patches; config.json has no vision tower for them",
                   call_.id, media.kind);
      features[media.kind] = write_m3_tower(plan_, *vision_, text_.hidden_size, media, profile_);
    }
    return features;
  }

  std::string splice(const std::map<std::string, std::string>& features) {
    if (features.empty()) return "text/embed/out";
    auto node = plan_.node("splice", "splice");
    node.param("image_token", vision_->image_token).param("video_token", vision_->video_token);
    node.tap("x", "text/embed/out").tap("ids", "tokens/input_ids");
    for (const auto& [kind, tap] : features) node.tap(kind, tap);
    node.out("out", "out", "B,S,H");
    for (const auto& [kind, tap] : features) {
      plan_.node("token_equals", "tokens/" + kind + "_mask")
          .param("token", kind == "image" ? vision_->image_token : vision_->video_token)
          .tap("ids", "tokens/input_ids")
          .out("out", "", "B,S", TapType::flag);
    }
    return "splice/out";
  }

  void tables() {
    plan_.node("rotary_tables", "text/rope")
        .param("theta", text_.rope_theta)
        .param("rotary_width", config_.rotary_width)
        .tap("positions", call_.positions ? "tokens/position_ids" : kSlots)
        .out("cos", "cos", "B,S,R")
        .out("sin", "sin", "B,S,R")
        .out("uncast", "freqs_cis", "B,S,R", TapType::single);
  }

  std::string decoder_layer(const Layer& layer, const std::string& stream) {
    const std::string& at = layer.taps;
    plan_.alias(at + "in", stream);
    norm(at + "input_norm", stream, "B,S,H", layer.weights + "input_layernorm.weight", "H");
    attention(layer, at + "input_norm/out");
    residual(at + "attention_residual", stream, at + "attention/o_proj/out");
    norm(at + "post_attention_norm", at + "attention_residual/out", "B,S,H",
         layer.weights + "post_attention_layernorm.weight", "H");
    const std::string x = at + "post_attention_norm/out";
    std::string branch;
    if (layer.experts) {
      branch = mixture(layer, x);
    } else {
      plan_.set_size('F', text_.dense_intermediate_size);
      branch = swiglu_mlp(at + "mlp/", x, "B,S", layer.weights + "mlp.");
    }
    residual(at.substr(0, at.size() - 1), at + "attention_residual/out", branch);
    return at + "out";
  }

  void attention(const Layer& layer, const std::string& x) {
    const std::string at = layer.taps + "attention/";
    const std::string published = layer.weights + "self_attn.";
    projection(at + "q_proj", x, "B,S,H", published + "q_proj.weight", "AD,H", "B,S,AD");
    projection(at + "k_proj", x, "B,S,H", published + "k_proj.weight", "GD,H", "B,S,GD");
    projection(at + "v_proj", x, "B,S,H", published + "v_proj.weight", "GD,H", "B,S,GD");
    norm(at + "q_norm", at + "q_proj/out", "B,S,A,D", published + "q_norm.weight", "D");
    norm(at + "k_norm", at + "k_proj/out", "B,S,G,D", published + "k_norm.weight", "D");
    rope(at + "q_rope", at + "q_norm/out", "B,A,S,D");
    rope(at + "k_rope", at + "k_norm/out", "B,G,S,D");
    if (layer.sparse) indexer(at + "indexer/", x, published);
    auto node = plan_.node(layer.sparse ? "attention_block_sparse" : "attention_dense", at + "core");
    node.param("scale", 1.0 / std::sqrt(static_cast<double>(text_.head_dim)))
        .tap("q", at + "q_rope/out")
        .tap("k", at + "k_rope/out")
        .tap("v", at + "v_proj/out", "B,G,S,D");
    if (call_.mask) node.tap("mask", "tokens/attention_mask");
    if (layer.sparse) node.param("block_size", text_.index_block_size).tap("blocks", at + "indexer/block_indices");
    node.out("out", "out", "B,S,AD", TapType::working, "B,S,A,D");
    projection(at + "o_proj", at + "core/out", "B,S,AD", published + "o_proj.weight", "H,AD", "B,S,H");
  }

  void indexer(const std::string& at, const std::string& x, const std::string& published) {
    const std::string name = at.substr(0, at.size() - 1);
    projection(at + "q_proj", x, "B,S,H", published + "index_q_proj.weight", "XI,H", "B,S,XI");
    projection(at + "k_proj", x, "B,S,H", published + "index_k_proj.weight", "I,H", "B,S,I");
    norm(at + "q_norm", at + "q_proj/out", "B,S,X,I", published + "index_q_norm.weight", "I");
    norm(at + "k_norm", at + "k_proj/out", "B,S,1,I", published + "index_k_norm.weight", "I");
    rope(at + "q_rope", at + "q_norm/out", "B,X,S,I");
    rope(at + "k_rope", at + "k_norm/out", "B,1,S,I");
    plan_.set_size('T', std::min(text_.index_topk_blocks, plan_.size('J')));
    plan_.node("index_block_scores", name)
        .param("block_size", text_.index_block_size)
        .param("per_group", true)
        .param("scale", 1.0 / std::sqrt(static_cast<double>(text_.index_head_dim)))
        .tap("q", at + "q_rope/out")
        .tap("k", at + "k_rope/out")
        .tap("positions", kSlots)
        .out("scores", "scores", "B,X,S,K", TapType::single)
        .out("block_scores", "block_scores", "B,X,S,J", TapType::single);
    plan_.node("index_select", name)
        .param("block_size", text_.index_block_size)
        .param("top_k", text_.index_topk_blocks)
        .param("local_blocks", config_.local_blocks)
        .param("init_blocks", config_.init_blocks)
        .tap("block_scores", at + "block_scores")
        .tap("positions", kSlots)
        .out("forced_scores", "block_scores_forced", "B,X,S,J", TapType::single)
        .out("blocks", "block_indices", "B,X,S,T", TapType::index);
    plan_.node("block_mask", at + "block_mask")
        .tap("blocks", at + "block_indices")
        .out("out", "", "B,X,S,J", TapType::flag);
  }

  /// gate_up, activation, down: the dense MLP and the shared expert; `rows` are the axes in front.
  std::string swiglu_mlp(const std::string& at, const std::string& x, const std::string& rows,
                         const std::string& published) {
    plan_.node("linear", at + "gate_up")
        .tap("x", x, rows + ",H")
        .weight("weight", {published + "gate_proj.weight", published + "up_proj.weight"}, "2F,H")
        .out("out", "out", rows + ",2F");
    auto node = plan_.node("swiglu", at + "activation");
    activation(node);
    node.tap("gate_up", at + "gate_up/out").out("out", "out", rows + ",F");
    projection(at + "down", at + "activation/out", rows + ",F", published + "down_proj.weight", "H,F", rows + ",H");
    return at + "down/out";
  }

  void activation(NodeWriter& node) const {
    node.param("alpha", text_.swiglu_alpha).param("limit", config_.swiglu_limit).param("linear_offset", 1.0);
  }

  std::string mixture(const Layer& layer, const std::string& x) {
    const std::string at = layer.taps + "moe/";
    const std::string published = layer.weights + "block_sparse_moe.";
    plan_.set_size('F', text_.shared_intermediate_size);
    const std::string shared = swiglu_mlp(at + "shared/", x, "N", published + "shared_experts.");
    plan_.set_size('T', text_.num_experts_per_tok);
    plan_.set_size('F', text_.intermediate_size);
    router(at + "router/", x, published);
    auto node = plan_.node("moe_experts_preweighted", at + "experts");
    activation(node);
    node.tap("x", x, "N,H").tap("indices", at + "router/indices").tap("weights", at + "router/weights");
    if (call_.mask) node.tap("token_mask", at + "router/token_mask");
    node.bank("gate_up", {published + "experts.{}.w1.weight", published + "experts.{}.w3.weight"}, "2F,H",
              text_.num_local_experts)
        .bank("down", {published + "experts.{}.w2.weight"}, "H,F", text_.num_local_experts)
        .out("slot_activation", "slot_activation", "N,T,F")
        .out("slot_weighted", "slot_weighted", "N,T,H")
        .out("sum", "sum", "N,H", TapType::single);
    plan_.node("cast", at + "experts").tap("x", at + "experts/sum").out("out", "out", "N,H");
    plan_.node("moe_combine", layer.taps + "moe")
        .param("scaling", 1.0)  // already inside the routing weights
        .tap("routed", at + "experts/out")
        .tap("shared", shared)
        .out("out", "out", "B,S,H", TapType::working, "N,H");
    return at + "out";
  }

  void router(const std::string& at, const std::string& x, const std::string& published) {
    const std::string name = at.substr(0, at.size() - 1);
    const Held held = profile_.config.contains("router_weight_single") ? Held::single : Held::working;
    plan_.node("linear", at + "logits")
        .tap("x", x, "N,H")
        .weight("weight", {published + "gate.weight"}, "E,H", held)
        .precision("out", Precision::single)
        .out("out", "", "N,E", TapType::single);
    plan_.node("router", name)
        .param("top_k", text_.num_experts_per_tok)
        .param("eps", kRouterEps)
        .param("scaling", text_.routed_scaling_factor)
        .tap("logits", at + "logits")
        .weight("bias", {published + "e_score_correction_bias"}, "E", Held::single)
        .out("scores", "scores", "N,E", TapType::single)
        .out("choice", "choice", "N,E", TapType::single)
        .out("indices", "indices", "N,T", TapType::index)
        .out("weights", "weights_f32", "N,T", TapType::single);
    plan_.node("cast", name).tap("x", at + "weights_f32").out("out", "weights", "N,T");
    if (call_.mask) {
      plan_.node("token_mask", at + "token_mask")
          .tap("mask", "tokens/attention_mask")
          .out("out", "", "N", TapType::flag);
    }
    auto load = plan_.node("expert_load", name);
    load.tap("indices", at + "indices");
    if (call_.mask) load.tap("token_mask", at + "token_mask");
    load.out("load", "expert_load", "E", TapType::count);
    training(at, published);
  }

  /// What a training step adds to a router. The load of the other micro-batches is nowhere else: it is an input.
  void training(const std::string& at, const std::string& published) {
    if (call_.balance_loss) {
      auto node = plan_.node("router_balance_loss", at + "aux_loss");
      node.param("top_k", text_.num_experts_per_tok).param("eps", kRouterEps);
      node.tap("scores", at + "scores").tap("load", at + "expert_load");
      if (call_.mask) node.tap("token_mask", at + "token_mask");
      node.out("loss", "", "", TapType::single);
    }
    if (call_.bias_rate <= 0.0) return;
    plan_.input(at + "cumulative_load", "E");
    plan_.node("router_bias_update", at.substr(0, at.size() - 1))
        .param("rate", call_.bias_rate)
        .weight("bias", {published + "e_score_correction_bias"}, "E", Held::single)
        .tap("load", at + "cumulative_load")
        .out("before", "bias_before", "E", TapType::single)
        .out("after", "bias_after", "E", TapType::single);
  }

  /// One layer of the last one's kind per depth, on the hidden state behind the final norm of the depth before.
  void further_tokens() {
    std::string hidden = "text/final_norm/out";
    std::string ids = "tokens/input_ids";
    for (int64_t depth = 0; depth < config_.mtp_depths; ++depth) {
      const std::string at = fmt::format("mtp/{:02}/", depth);
      const std::string weights = fmt::format("{}mtp.layers.{}.", kModel, depth);
      plan_.node("shift_left", at + "input_ids").tap("ids", ids).out("out", "", "B,S", TapType::count);
      ids = at + "input_ids";
      plan_.node("token_embedding", at + "embed")
          .tap("ids", ids)
          .weight("table", {std::string(kModel) + "embed_tokens.weight"}, "V,H")
          .out("out", "out", "B,S,H");
      norm(at + "enorm", at + "embed/out", "B,S,H", weights + "enorm.weight", "H");
      norm(at + "hnorm", hidden, "B,S,H", weights + "hnorm.weight", "H");
      plan_.node("joined_linear", at + "eh_proj")
          .tap("first", at + "enorm/out")
          .tap("second", at + "hnorm/out")
          .weight("weight", {weights + "eh_proj.weight"}, "H,2H")
          .out("out", "out", "B,S,H");
      const std::string stream = decoder_layer({at + "layer/", weights + "transformer_layer.",
                                                text_.sparse_attention.back(), text_.mixture_of_experts.back()},
                                               at + "eh_proj/out");
      hidden = at + "final_norm/out";
      norm(at + "final_norm", stream, "B,S,H", weights + "final_layernorm.weight", "H");
      head(at + "lm_head", hidden);
    }
  }

  void loss() {
    plan_.node("cross_entropy", "")
        .param("label_offset", int64_t{0})
        .tap("logits", "text/lm_head/out")
        .tap("labels", "tokens/labels")
        .out("sum", "loss_sum", "", TapType::single)
        .out("loss", "loss", "", TapType::single);
    if (!call_.training || config_.mtp_depths == 0) return;
    mtp_loss("mtp/loss", call_.mtp_factor, false);
    if (call_.packed_factor > 0.0) mtp_loss("mtp/loss_packed", call_.packed_factor, true);
  }

  void mtp_loss(const std::string& at, double factor, bool documents) {
    auto node = plan_.node("mtp_loss", at);
    node.param("factor", factor).tap("labels", "tokens/labels");
    for (int64_t depth = 0; depth < config_.mtp_depths; ++depth)
      node.tap("logits", fmt::format("mtp/{:02}/lm_head/out", depth));
    if (documents) node.tap("documents", "tokens/seq_idx");
    node.out("loss", "", "", TapType::single);
  }

  void head(const std::string& at, const std::string& x) {
    projection(at, x, "B,S,H", "language_model.lm_head.weight", "V,H", "B,S,V");
  }

  void norm(const std::string& at, const std::string& x, const std::string& axes, const std::string& published,
            const std::string& width) {
    DecoderCall::norm(at, x, axes, published, width, text_.rms_norm_eps, config_.gain_offset);
  }

  const NemoM3Config& config_;
  const M3TextConfig& text_;
  const M3VisionConfig* vision_;
  const Profile& profile_;
};

void check(const PlanRequest& request) {
  const auto alone =
      std::count_if(request.calls.begin(), request.calls.end(), [](const Call& call) { return call.tokens == 0; });
  PARITY_CHECK(alone == 0 || alone == static_cast<int64_t>(request.calls.size()), unsupported,
               "{} of {} calls run the vision tower alone; record those in a golden of their own", alone,
               request.calls.size());
  for (const Call& call : request.calls) {
    PARITY_CHECK(call.keys == call.tokens, unsupported,
                 "call {} has {} slots for {} tokens; profile {} has no cache: record each call on its own", call.id,
                 call.keys, call.tokens, request.profile);
  }
}

}  // namespace

Plan build_nemo_m3_plan(const nlohmann::json& json, const PlanRequest& request) {
  check(request);
  const NemoM3Config config = parse_nemo_m3_config(json);
  const auto& calls = request.calls;
  const bool tower = std::any_of(calls.begin(), calls.end(), [](const Call& call) { return !call.media.empty(); });
  const M3VisionConfig vision = tower ? parse_m3_vision_config(json) : M3VisionConfig{};
  Plan plan = start_plan(kSystem, request);
  PlanWriter writer(plan);
  for (size_t call = 0; call < calls.size(); ++call)
    NemoCall(config, tower ? &vision : nullptr, request, call, writer).write();
  finish_plan(writer, kSystem, request);
  if (config.text.quantisation.present) add_dequantise_nodes(config.text.quantisation, plan);
  return plan;
}

}  // namespace parity

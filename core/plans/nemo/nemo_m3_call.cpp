// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/nemo/nemo_m3_call.hpp"

#include "core/plans/m3/m3_vision.hpp"
#include "core/plans/nemo/nemo_m3_names.hpp"

namespace parity {

using namespace nemo;

NemoCall::NemoCall(const NemoM3Config& config, const M3VisionConfig* vision, const PlanRequest& request,
                   const NemoPass& pass, PlanWriter& writer)
    : DecoderCall(request, pass.call, pass.step, writer),
      pass_(pass),
      config_(config),
      text_(config.text),
      vision_(vision),
      profile_(find_profile(kSystem, request.profile)) {}

AxisSizes NemoCall::sizes() const {
  return {{'B', call_.batch},
          {'S', call_.tokens},
          {'K', call_.keys},
          {'H', text_.hidden_size},
          {'V', text_.vocab_size},
          {'A', text_.num_attention_heads},
          {'G', text_.num_key_value_heads},
          {'D', text_.head_dim},
          {'X', text_.index_n_heads},
          {'I', text_.index_head_dim},
          {'J', (call_.keys + text_.index_block_size - 1) / text_.index_block_size},
          {'E', text_.num_local_experts},
          {'R', config_.rotary_width}};
}

void NemoCall::resume(int layer) {
  plan_.begin_call(static_cast<int>(pass_.step), pass_.root, sizes(), pass_.inputs);
  plan_.layer(layer);
}

NemoCall::Layer NemoCall::text_layer(size_t layer) const {
  return {fmt::format("text/layers/{:02}/", layer), fmt::format("{}layers.{}.", kModel, layer),
          text_.sparse_attention[layer], text_.mixture_of_experts[layer], static_cast<int>(layer)};
}

void NemoCall::open() {
  resume();
  const auto features = towers();
  if (call_.tokens == 0) return;
  inputs();
  embed(std::string(kModel) + "embed_tokens.weight", pass_.ids);
  stream_ = splice(features);
  tables();
}

void NemoCall::project(size_t layer) {
  resume(static_cast<int>(layer));
  project(text_layer(layer));
}

void NemoCall::attend(size_t layer) {
  resume(static_cast<int>(layer));
  attend(text_layer(layer));
}

void NemoCall::exchange(size_t layer) {
  resume(static_cast<int>(layer));
  if (shares_experts() && text_.mixture_of_experts[layer]) exchange_tokens(text_layer(layer));
}

void NemoCall::feed(size_t layer) {
  resume(static_cast<int>(layer));
  feed(text_layer(layer));
}

void NemoCall::close() {
  if (pass_.loads_only) return;
  resume();
  norm("text/final_norm", stream_, "B,S,H", std::string(kModel) + "norm.weight", "H");
  head("text/lm_head", "text/final_norm/out");
  if (call_.training) further_tokens();
  if (call_.labels) losses();
}

/// Declares the inputs. Without position ids, positions are slots; without a mask, all tokens are real.
void NemoCall::inputs() {
  plan_.input(pass_.ids, "B,S");
  if (call_.positions) plan_.input("tokens/position_ids", "B,S");
  if (call_.mask) plan_.input("tokens/attention_mask", call_.pairs ? "B,1,S,K" : "B,S");
  if (call_.padding && !shares_sequence()) plan_.input("tokens/padding_mask", "B,S", TapType::flag);
  if (call_.labels) plan_.input("tokens/labels", "B,S");
  if (call_.packed_factor > 0.0) plan_.input("tokens/seq_idx", "B,S");
  if (shares_sequence()) plan_.input("tokens/slots", "S");
  auto slots = plan_.node("slot_positions", kSlots);
  if (shares_sequence()) slots.tap("slots", "tokens/slots");
  slots.tap("ids", pass_.ids).out("out", "", "B,S", TapType::count);
  if (shares_sequence()) share_inputs();
}

std::map<std::string, std::string> NemoCall::towers() {
  std::map<std::string, std::string> features;
  for (const Media& media : call_.media) {
    PARITY_CHECK(vision_ != nullptr, unsupported, "call {} has {} patches; config.json has no vision tower for them",
                 call_.id, media.kind);
    features[media.kind] = write_m3_tower(plan_, *vision_, text_.hidden_size, media, profile_);
  }
  return features;
}

std::string NemoCall::splice(const std::map<std::string, std::string>& features) {
  if (features.empty()) return "text/embed/out";
  auto node = plan_.node("splice", "splice");
  node.param("image_token", vision_->image_token).param("video_token", vision_->video_token);
  node.tap("x", "text/embed/out").tap("ids", pass_.ids);
  for (const auto& [kind, tap] : features) node.tap(kind, tap);
  node.out("out", "out", "B,S,H");
  for (const auto& [kind, tap] : features) {
    plan_.node("token_equals", "tokens/" + kind + "_mask")
        .param("token", kind == "image" ? vision_->image_token : vision_->video_token)
        .tap("ids", pass_.ids)
        .out("out", "", "B,S", TapType::flag);
  }
  return "splice/out";
}

void NemoCall::tables() {
  plan_.node("rotary_tables", "text/rope")
      .param("theta", text_.rope_theta)
      .param("rotary_width", config_.rotary_width)
      .tap("positions", call_.positions ? "tokens/position_ids" : kSlots)
      .out("cos", "cos", "B,S,R")
      .out("sin", "sin", "B,S,R")
      .out("uncast", "freqs_cis", "B,S,R", TapType::single);
}

void NemoCall::project(const Layer& layer) {
  plan_.alias(layer.taps + "in", stream_);
  norm(layer.taps + "input_norm", stream_, "B,S,H", layer.weights + "input_layernorm.weight", "H");
  attention_inputs(layer, layer.taps + "input_norm/out");
}

void NemoCall::attend(const Layer& layer) {
  attention(layer);
  residual(layer.taps + "attention_residual", stream_, layer.taps + "attention/o_proj/out");
  norm(layer.taps + "post_attention_norm", layer.taps + "attention_residual/out", "B,S,H",
       layer.weights + "post_attention_layernorm.weight", "H");
  if (layer.experts) route(layer);
}

void NemoCall::feed(const Layer& layer) {
  if (layer.experts) {
    mixture(layer);
  } else {
    plan_.set_size('F', text_.dense_intermediate_size);
    swiglu_mlp(layer.taps + "mlp/", layer.taps + "post_attention_norm/out", "B,S", layer.weights + "mlp.");
  }
  residual(layer.taps.substr(0, layer.taps.size() - 1), layer.taps + "attention_residual/out",
           layer.taps + (layer.experts ? "moe/out" : "mlp/down/out"));
  stream_ = layer.taps + "out";
}

/// Writes gate_up, activation and down of the dense MLP or the shared expert; `rows` are the leading axes of x.
std::string NemoCall::swiglu_mlp(const std::string& at, const std::string& x, const std::string& rows,
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

void NemoCall::activation(NodeWriter& node) const {
  node.param("alpha", text_.swiglu_alpha).param("limit", config_.swiglu_limit).param("linear_offset", 1.0);
}

void NemoCall::head(const std::string& at, const std::string& x) {
  projection(at, x, "B,S,H", "language_model.lm_head.weight", "V,H", "B,S,V");
}

void NemoCall::norm(const std::string& at, const std::string& x, const std::string& axes, const std::string& published,
                    const std::string& width) {
  DecoderCall::norm(at, x, axes, published, width, text_.rms_norm_eps, config_.gain_offset);
}

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Router, routed and shared experts of NeMo Automodel's MiniMax-M3.
#include "core/plans/nemo/nemo_m3_call.hpp"
#include "core/plans/nemo/nemo_m3_names.hpp"

namespace parity {

using namespace nemo;

void NemoCall::route(const Layer& layer) {
  const std::string at = layer.taps + "moe/";
  const std::string published = layer.weights + "block_sparse_moe.";
  const std::string x = layer.taps + "post_attention_norm/out";
  plan_.set_size('F', text_.shared_intermediate_size);
  swiglu_mlp(at + "shared/", x, "N", published + "shared_experts.");
  plan_.set_size('T', text_.num_experts_per_tok);
  router(at + "router/", x, published);
}

void NemoCall::router(const std::string& at, const std::string& x, const std::string& published) {
  const std::string name = at.substr(0, at.size() - 1);
  const Held held = profile_.does("router_weight_single") ? Held::single : Held::working;
  plan_.node("linear", at + "logits")
      .tap("x", x, "N,H")
      .weight("weight", {published + "gate.weight"}, "E,H", held)
      .precision("out", Precision::single)
      .out("out", "", "N,E", TapType::single);
  plan_.node("router", name)
      .param("top_k", text_.num_experts_per_tok)
      .param("eps", kEps)
      .param("scaling", text_.routed_scaling_factor)
      .tap("logits", at + "logits")
      .weight("bias", {published + "e_score_correction_bias"}, "E", Held::single)
      .out("scores", "scores", "N,E", TapType::single)
      .out("choice", "choice", "N,E", TapType::single)
      .out("indices", "indices", "N,T", TapType::index)
      .out("weights", "weights_f32", "N,T", TapType::single);
  plan_.node("cast", name).tap("x", at + "weights_f32").out("out", "weights", "N,T");
  if (knows_padding()) token_mask(at + "token_mask");
  auto load = plan_.node("expert_load", name);
  load.tap("indices", at + "indices");
  if (knows_padding()) load.tap("token_mask", at + "token_mask");
  load.out("load", "expert_load", "E", TapType::count);
  if (call_.balance_loss) balance_loss(at);
}

bool NemoCall::knows_padding() const {
  if (shares_sequence()) return call_.padding;
  return shares_experts() || call_.mask || call_.padding;
}

void NemoCall::token_mask(const std::string& at) {
  auto node = plan_.node("token_mask", at);
  if (shares_sequence()) {
    node.tap("mask", "tokens/gathered_valid").tap("positions", kSlots);
  } else if (call_.padding) {
    node.param("padding", true).tap("mask", "tokens/padding_mask");
  } else if (call_.mask) {
    PARITY_CHECK(!call_.pairs, unsupported, "call {}: a mask per token also needs tokens/padding_mask", call_.id);
    node.tap("mask", "tokens/attention_mask");
  }
  node.out("out", "", "N", TapType::flag);
}

void NemoCall::mixture(const Layer& layer) {
  const std::string at = layer.taps + "moe/";
  plan_.set_size('T', text_.num_experts_per_tok);
  plan_.set_size('F', text_.intermediate_size);
  if (shares_experts()) {
    reduce_experts(layer);
  } else {
    experts(layer);
  }
  plan_.node("cast", at + "experts").tap("x", at + "experts/sum").out("out", "out", "N,H");
  plan_.node("moe_combine", layer.taps + "moe")
      .param("scaling", 1.0)  // the routing weights include it already
      .tap("routed", at + "experts/out")
      .tap("shared", at + "shared/down/out")
      .out("out", "out", "B,S,H", TapType::working, "N,H");
}

void NemoCall::experts(const Layer& layer) {
  const std::string at = layer.taps + "moe/";
  const std::string published = layer.weights + "block_sparse_moe.";
  auto node = DecoderCall::experts("moe_experts_preweighted", at + "experts", at,
                                   layer.taps + "post_attention_norm/out", published, text_.num_local_experts, {});
  activation(node);  // replaces plain SiLU
  if (knows_padding()) node.tap("token_mask", at + "router/token_mask");
  node.out("slot_activation", "slot_activation", "N,T,F")
      .out("slot_weighted", "slot_weighted", "N,T,H")
      .out("sum", "sum", "N,H", TapType::single);
}

}  // namespace parity

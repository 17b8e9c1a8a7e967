// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The nodes that a training step adds to a forward pass of NeMo Automodel's MiniMax-M3.
#include "core/plans/nemo/nemo_m3_call.hpp"
#include "core/plans/nemo/nemo_m3_names.hpp"

namespace parity {

using namespace nemo;

void NemoCall::balance_loss(const std::string& at) {
  auto node = plan_.node("router_balance_loss", at + "aux_loss");
  node.param("top_k", text_.num_experts_per_tok).param("eps", kEps);
  node.tap("scores", at + "scores").tap("load", at + "expert_load");
  if (knows_padding()) node.tap("token_mask", at + "token_mask");
  node.out("loss", "", "", TapType::single);
}

void NemoCall::update_bias(const NemoPass* second) {
  for (size_t index = 0; index < static_cast<size_t>(text_.num_hidden_layers); ++index) {
    const Layer layer = text_layer(index);
    if (!layer.experts) continue;
    resume(static_cast<int>(index));
    const std::string at = layer.taps + "moe/router";
    auto sum = plan_.node("load_sum", at + "/cumulative_load");
    sum.tap("loads", at + "/expert_load");
    if (second != nullptr) sum.whole_tap("loads", second->root + at + "/expert_load");
    sum.out("out", "", "E", TapType::count);
    plan_.node("router_bias_update", at)
        .param("rate", call_.bias_rate)
        .weight("bias", {layer.weights + "block_sparse_moe.e_score_correction_bias"}, "E", Held::single)
        .tap("load", at + "/cumulative_load")
        .out("before", "bias_before", "E", TapType::single)
        .out("after", "bias_after", "E", TapType::single);
  }
}

/// Writes one layer per depth (further token), of the last decoder layer's kind; it reads the final norm before it.
void NemoCall::further_tokens() {
  std::string ids = pass_.ids;
  std::string hidden = "text/final_norm/out";
  for (int64_t depth = 0; depth < config_.mtp_depths; ++depth) {
    further_token(depth, ids, hidden);
    ids = fmt::format("mtp/{:02}/input_ids", depth);
    hidden = fmt::format("mtp/{:02}/final_norm/out", depth);
  }
}

void NemoCall::further_token(int64_t depth, const std::string& ids, const std::string& hidden) {
  const std::string at = fmt::format("mtp/{:02}/", depth);
  const std::string weights = fmt::format("{}mtp.layers.{}.", kModel, depth);
  plan_.node("shift_left", at + "input_ids").tap("ids", ids).out("out", "", "B,S", TapType::count);
  plan_.node("token_embedding", at + "embed")
      .tap("ids", at + "input_ids")
      .weight("table", {std::string(kModel) + "embed_tokens.weight"}, "V,H")
      .out("out", "out", "B,S,H");
  norm(at + "enorm", at + "embed/out", "B,S,H", weights + "enorm.weight", "H");
  norm(at + "hnorm", hidden, "B,S,H", weights + "hnorm.weight", "H");
  plan_.node("joined_linear", at + "eh_proj")
      .tap("first", at + "enorm/out")
      .tap("second", at + "hnorm/out")
      .weight("weight", {weights + "eh_proj.weight"}, "H,2H")
      .out("out", "out", "B,S,H");
  const Layer layer{at + "layer/", weights + "transformer_layer.", text_.sparse_attention.back(),
                    text_.mixture_of_experts.back()};
  stream_ = at + "eh_proj/out";
  project(layer);
  attend(layer);
  feed(layer);
  norm(at + "final_norm", stream_, "B,S,H", weights + "final_layernorm.weight", "H");
  head(at + "lm_head", at + "final_norm/out");
}

void NemoCall::losses() {
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

void NemoCall::mtp_loss(const std::string& at, double factor, bool documents) {
  auto node = plan_.node("mtp_loss", at);
  node.param("factor", factor).tap("labels", "tokens/labels");
  for (int64_t depth = 0; depth < config_.mtp_depths; ++depth)
    node.tap("logits", fmt::format("mtp/{:02}/lm_head/out", depth));
  if (documents) node.tap("documents", "tokens/seq_idx");
  node.out("loss", "", "", TapType::single);
}

}  // namespace parity

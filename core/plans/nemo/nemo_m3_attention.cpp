// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attention and block selection of NeMo Automodel's MiniMax-M3.
#include <algorithm>
#include <cmath>

#include "core/plans/nemo/nemo_m3_call.hpp"
#include "core/plans/nemo/nemo_m3_names.hpp"

namespace parity {

using namespace nemo;

void NemoCall::attention_inputs(const Layer& layer, const std::string& x) {
  const std::string at = layer.taps + "attention/";
  const std::string published = layer.weights + "self_attn.";
  projections(at, x, published);
  norm(at + "q_norm", at + "q_proj/out", "B,S,A,D", published + "q_norm.weight", "D");
  norm(at + "k_norm", at + "k_proj/out", "B,S,G,D", published + "k_norm.weight", "D");
  rope(at + "q_rope", at + "q_norm/out", "B,A,S,D");
  rope(at + "k_rope", at + "k_norm/out", "B,G,S,D");
  if (layer.sparse) indexer_inputs(at + "indexer/", x, published);
}

void NemoCall::indexer_inputs(const std::string& at, const std::string& x, const std::string& published) {
  projection(at + "q_proj", x, "B,S,H", published + "index_q_proj.weight", "XI,H", "B,S,XI");
  projection(at + "k_proj", x, "B,S,H", published + "index_k_proj.weight", "I,H", "B,S,I");
  norm(at + "q_norm", at + "q_proj/out", "B,S,X,I", published + "index_q_norm.weight", "I");
  norm(at + "k_norm", at + "k_proj/out", "B,S,1,I", published + "index_k_norm.weight", "I");
  rope(at + "q_rope", at + "q_norm/out", "B,X,S,I");
  rope(at + "k_rope", at + "k_norm/out", "B,1,S,I");
}

void NemoCall::select_blocks(const std::string& at) {
  const std::string name = at.substr(0, at.size() - 1);
  plan_.set_size('T', std::min(text_.index_topk_blocks, plan_.size('J')));
  plan_.node("index_block_scores", name)
      .param("block_size", text_.index_block_size)
      .param("per_group", true)
      .param("scale", 1.0 / std::sqrt(static_cast<double>(text_.index_head_dim)))
      .tap("q", at + "q_rope/out")
      .tap("k", at + (shares_sequence() ? "gathered_k" : "k_rope/out"))
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

void NemoCall::attention(const Layer& layer) {
  const std::string at = layer.taps + "attention/";
  PARITY_CHECK(layer.sparse || !(call_.pairs || shares_sequence()), unsupported,
               "call {}: dense attention ({}) with a mask per token or a shared sequence is not implemented", call_.id,
               layer.taps);
  if (shares_sequence()) {
    gather_sequence(at + "gathered_k", at + "k_rope/out", "B,G,K,D", "B,G,S,D");
    gather_sequence(at + "gathered_v", at + "v_proj/out", "B,G,K,D", "B,G,S,D");
    gather_sequence(at + "indexer/gathered_k", at + "indexer/k_rope/out", "B,1,K,I", "B,1,S,I");
  }
  if (layer.sparse) select_blocks(at + "indexer/");
  auto node = plan_.node(layer.sparse ? "attention_block_sparse" : "attention_dense", at + "core");
  node.param("scale", 1.0 / std::sqrt(static_cast<double>(text_.head_dim)))
      .tap("q", at + "q_rope/out")
      .tap("k", at + (shares_sequence() ? "gathered_k" : "k_rope/out"))
      .tap("v", at + (shares_sequence() ? "gathered_v" : "v_proj/out"), shares_sequence() ? "" : "B,G,S,D");
  visibility(node);
  if (layer.sparse) node.param("block_size", text_.index_block_size).tap("blocks", at + "indexer/block_indices");
  attention_out(node, at, layer.weights + "self_attn.");
}

/// Adds the operands that restrict which slots a token sees, in addition to causality and blocks.
void NemoCall::visibility(NodeWriter& node) {
  if (shares_sequence()) {
    node.param("self_visible", true).tap("positions", kSlots).tap("pairs", kPairs);
  } else if (call_.pairs) {
    node.tap("pairs", "tokens/attention_mask", "B,S,K");
  } else if (call_.mask) {
    node.tap("mask", "tokens/attention_mask");
  }
}

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The exchange between processes in one forward pass of NeMo Automodel's MiniMax-M3.
#include "core/plans/nemo/nemo_m3_call.hpp"
#include "core/plans/nemo/nemo_m3_names.hpp"

namespace parity {

using namespace nemo;

void NemoCall::share_inputs() {
  plan_.input("tokens/gathered_document", "B,K");
  if (call_.padding) plan_.input("tokens/gathered_valid", "B,K", TapType::flag);
  auto pairs = plan_.node("document_pairs", kPairs);
  pairs.tap("documents", "tokens/gathered_document").tap("positions", kSlots);
  if (call_.padding) pairs.tap("valid", "tokens/gathered_valid");
  pairs.out("out", "", "B,S,K", TapType::flag);
}

void NemoCall::gather_sequence(const std::string& whole, const std::string& share, const std::string& out_axes,
                               const std::string& axes, const std::string& kernel_axes) {
  auto node = plan_.node("gather", whole);
  for (const std::string& peer : pass_.peers)
    node.whole_tap("parts", peer + share, axes).whole_tap("slots", peer + "tokens/slots");
  node.out("out", "", out_axes, TapType::working, kernel_axes);
}

void NemoCall::gather_outputs() {
  resume();
  for (size_t layer = 0; layer < static_cast<size_t>(text_.num_hidden_layers); ++layer) {
    const std::string tap = text_layer(layer).taps + "out";
    gather_sequence(tap, tap, "B,S,H", "B,1,S,H", "B,1,S,H");
  }
  gather_sequence("text/final_norm/out", "text/final_norm/out", "B,S,H", "B,1,S,H", "B,1,S,H");
  gather_sequence("text/lm_head/out", "text/lm_head/out", "B,S,V", "B,1,S,V", "B,1,S,V");
}

void NemoCall::gather_rows(const std::string& whole, const std::string& share, const std::string& axes, TapType type) {
  auto node = plan_.node("gather", whole);
  for (const std::string& peer : pass_.peers) node.whole_tap("parts", peer + share, "1,1," + axes);
  node.out("out", "", axes, type, "1,1," + axes);
}

void NemoCall::gather_ids(const std::string& whole, const std::string& share, const std::string& axes, TapType type) {
  const std::string columns = fmt::format("1,{}", axes == "N" ? "N,1" : axes);
  auto node = plan_.node("gather_ids", whole);
  for (const std::string& peer : pass_.peers) node.whole_tap("parts", peer + share, columns);
  node.out("out", "", axes, type, columns);
}

/// Every process gathers the tokens of all processes and sums the outputs of its own experts for them.
void NemoCall::exchange_tokens(const Layer& layer) {
  const std::string at = layer.taps + "moe/experts/";
  const std::string routed = layer.taps + "moe/router/";
  const std::string published = layer.weights + "block_sparse_moe.";
  const int64_t own = text_.num_local_experts / static_cast<int64_t>(pass_.peers.size());
  plan_.set_size('T', text_.num_experts_per_tok);
  plan_.set_size('F', text_.intermediate_size);
  plan_.begin_tower({{'B', 1}, {'S', pass_.all_rows}});
  gather_rows(at + "gathered_in", layer.taps + "post_attention_norm/out", "N,H", TapType::working);
  gather_rows(at + "gathered_weights", routed + "weights", "N,T", TapType::single);
  gather_ids(at + "gathered_indices", routed + "indices", "N,T", TapType::count);
  gather_ids(at + "gathered_token_mask", routed + "token_mask", "N", TapType::flag);
  auto node = plan_.node("moe_experts_preweighted", at.substr(0, at.size() - 1));
  activation(node);
  node.param("first_expert", own * static_cast<int64_t>(pass_.rank))
      .param("experts", own)
      .tap("x", at + "gathered_in")
      .tap("indices", at + "gathered_indices")
      .tap("weights", at + "gathered_weights")
      .tap("token_mask", at + "gathered_token_mask")
      .bank("gate_up", {published + "experts.{}.w1.weight", published + "experts.{}.w3.weight"}, "2F,H",
            text_.num_local_experts)
      .bank("down", {published + "experts.{}.w2.weight"}, "H,F", text_.num_local_experts)
      .out("sum", "partial_sum", "N,H", TapType::single);
  plan_.end_tower();
  plan_.layer(layer.index);
}

/// Sums the experts' outputs over the processes and takes the rows of this process.
void NemoCall::reduce_experts(const Layer& layer) {
  const std::string at = layer.taps + "moe/experts/";
  plan_.begin_tower({{'B', 1}, {'S', pass_.all_rows}});
  auto sum = plan_.node("all_reduce", at + "reduced_sum");
  for (const std::string& peer : pass_.peers) sum.whole_tap("parts", peer + at + "partial_sum");
  sum.precision("sum", Precision::single).out("out", "", "N,H", TapType::single);
  plan_.end_tower();
  plan_.layer(layer.index);
  plan_.node("gather", at + "sum")
      .param("first_slot", pass_.first_row)
      .tap("parts", at + "reduced_sum", "1,1,N,H")
      .out("out", "", "N,H", TapType::single, "1,1,N,H");
}

}  // namespace parity

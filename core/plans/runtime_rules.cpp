// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/runtime_rules.hpp"

#include <map>

namespace parity {
namespace {

using Rules = std::vector<RuntimeRule>;

/// Adds the rules of a part of the model, with prefixes before its published and runtime names.
void add(Rules& rules, const Rules& more, const std::string& published = {}, const std::string& runtime = {}) {
  for (const RuntimeRule& rule : more)
    rules.push_back({published + rule.published, runtime + rule.runtime, rule.part, rule.parts});
}

/// Tensors that every decoder stores as they are published.
Rules decoder() {
  Rules rules{{"embed_tokens.weight", "embed_tokens.weight"}, {"norm.weight", "norm.weight"}};
  for (const char* name : {"input_layernorm", "post_attention_layernorm", "self_attn.q_proj", "self_attn.k_proj",
                           "self_attn.v_proj", "self_attn.o_proj", "self_attn.q_norm", "self_attn.k_norm"}) {
    const std::string weight = std::string("layers.{L}.") + name + ".weight";
    rules.push_back({weight, weight});
  }
  return rules;
}

/// A gated MLP, whose gate and up are stored as one matrix.
Rules gated(const std::string& published, const std::string& runtime) {
  return {{published + "gate_proj.weight", runtime + "gate_up_proj.weight", 0, 2},
          {published + "up_proj.weight", runtime + "gate_up_proj.weight", 1, 2},
          {published + "down_proj.weight", runtime + "down_proj.weight"}};
}

/// Experts, which are stored stacked, with gate and up as one matrix.
Rules mixture(const std::string& bias) {
  const std::string published = "layers.{L}.block_sparse_moe.";
  const std::string runtime = "layers.{L}.mlp.";
  return {{published + "gate.weight", runtime + "gate.weight"},
          {published + "e_score_correction_bias", runtime + bias},
          {published + "experts.{E}.w1.weight", runtime + "experts.gate_up_proj", 0, 2},
          {published + "experts.{E}.w3.weight", runtime + "experts.gate_up_proj", 1, 2},
          {published + "experts.{E}.w2.weight", runtime + "experts.down_proj"}};
}

Rules m3_decoder() {
  Rules rules = decoder();
  add(rules, mixture("gate.e_score_correction_bias"));
  add(rules, gated("layers.{L}.mlp.", "layers.{L}.mlp."));
  add(rules, gated("layers.{L}.block_sparse_moe.shared_experts.", "layers.{L}.mlp.shared_experts."));
  for (const char* weight : {"q_proj.weight", "k_proj.weight", "q_norm.weight", "k_norm.weight"})
    add(rules, {{weight, weight}}, "layers.{L}.self_attn.index_", "layers.{L}.self_attn.indexer.");
  return rules;
}

/// Rules of an M3 model; `decoder` is the prefix of the decoder's runtime names.
Rules m3_model(const std::string& decoder) {
  Rules rules{{"language_model.lm_head.weight", "lm_head.weight"}};
  add(rules, m3_decoder(), "language_model.model.", decoder);
  return rules;
}

Rules m3_vl() {
  Rules rules = m3_model("model.language_model.");
  add(rules,
      {{"vision_tower.vision_model.embeddings.patch_embedding.weight", "model.vision_tower.embeddings.proj.weight"},
       {"vision_tower.vision_model.encoder.layers.*", "model.vision_tower.layers.*"},
       {"vision_tower.vision_model.pre_layrnorm.*", "model.vision_tower.pre_layrnorm.*"}});
  for (const char* linear : {"linear_1.*", "linear_2.*"}) {
    add(rules, {{linear, linear}}, "multi_modal_projector.", "model.multi_modal_projector.");
    add(rules, {{linear, linear}}, "patch_merge_mlp.", "model.multi_modal_projector.merge_");
  }
  return rules;
}

Rules m2_rules() {
  Rules rules{{"lm_head.weight", "lm_head.weight"}};
  add(rules, decoder(), "model.", "model.");
  add(rules, mixture("e_score_correction_bias"), "model.", "model.");
  return rules;
}

/// Text-01, which 4.56.2 stores as it is published.
Rules text01(const std::string& head) { return {{"model.*", "model.*"}, {head, head}}; }

const std::map<std::string, Rules>& tables() {
  static const std::map<std::string, Rules> all{
      {"MiniMaxM3SparseForConditionalGeneration", m3_vl()},
      {"MiniMaxM3VLForCausalLM", m3_model("model.")},
      {"MiniMaxM2ForCausalLM", m2_rules()},
      {"MiniMaxForCausalLM", text01("lm_head.weight")},
      {"MiniMaxForSequenceClassification", text01("score.weight")},
      {"MiniMaxForTokenClassification", text01("score.*")},
      {"MiniMaxForQuestionAnswering", text01("qa_outputs.*")},
  };
  return all;
}

}  // namespace

const std::vector<RuntimeRule>* runtime_rules(const std::string& model_class) {
  const auto found = tables().find(model_class);
  return found == tables().end() ? nullptr : &found->second;
}

std::vector<std::string> runtime_classes() {
  std::vector<std::string> names;
  for (const auto& [name, rules] : tables()) names.push_back(name);
  return names;
}

}  // namespace parity

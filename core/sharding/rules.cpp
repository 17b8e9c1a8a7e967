// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/sharding/rules.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace parity {
namespace {

constexpr Release kHeadDivided{5, 17, 0};   // 5.12.0 loses the rule as it builds the model
constexpr Release kWordsDivided{5, 21, 0};  // a rank has zeros for the words of other ranks, and the terms are added

/// Experts, language head and words are divided alike in all of Hugging Face's plans: "packed_colwise", "rowwise",
/// "colwise_gather_output".
std::vector<ShardRule> hf_rules(std::vector<ShardRule> attention) {
  attention.push_back({"*model.layers.*.experts.{}.w1.weight", Cut::halves});
  attention.push_back({"*model.layers.*.experts.{}.w2.weight", Cut::columns});
  attention.push_back({"*lm_head.weight", Cut::rows, true, kHeadDivided});
  attention.push_back({"*model.embed_tokens.weight", Cut::rows, false, kWordsDivided});
  return attention;
}

/// M2 and M3: "colwise_gather_output" and "rowwise_split_input", because the norms of M2 span all heads.
std::vector<ShardRule> gathered_attention() {
  return hf_rules({{"*model.layers.*.self_attn.q_proj.weight", Cut::rows, true},
                   {"*model.layers.*.self_attn.k_proj.weight", Cut::rows, true},
                   {"*model.layers.*.self_attn.v_proj.weight", Cut::rows, true},
                   {"*model.layers.*.self_attn.o_proj.weight", Cut::columns}});
}

/// Text-01: "colwise" and "rowwise". Lightning attention, which has other names, is not divided.
std::vector<ShardRule> divided_attention() {
  return hf_rules({{"*model.layers.*.self_attn.q_proj.weight", Cut::heads},
                   {"*model.layers.*.self_attn.k_proj.weight", Cut::heads},
                   {"*model.layers.*.self_attn.v_proj.weight", Cut::heads},
                   {"*model.layers.*.self_attn.o_proj.weight", Cut::inputs}});
}

/// Heads, index heads with the key heads that they serve, and the columns of every MLP. Written from a description of
/// vLLM and SGLang, not from their code: nothing here was compared with an engine.
std::vector<ShardRule> engine_rules() {
  return {{"*model.layers.*.self_attn.q_proj.weight", Cut::heads},
          {"*model.layers.*.self_attn.k_proj.weight", Cut::heads},
          {"*model.layers.*.self_attn.v_proj.weight", Cut::heads},
          {"*model.layers.*.self_attn.o_proj.weight", Cut::inputs},
          {"*model.layers.*.self_attn.index_q_proj.weight", Cut::heads},
          {"*model.layers.*.mlp.gate_proj.weight", Cut::halves},
          {"*model.layers.*.mlp.down_proj.weight", Cut::columns},
          {"*model.layers.*.shared_experts.gate_proj.weight", Cut::halves},
          {"*model.layers.*.shared_experts.down_proj.weight", Cut::columns},
          {"*model.layers.*.experts.{}.w1.weight", Cut::halves},
          {"*model.layers.*.experts.{}.w2.weight", Cut::columns},
          {"*model.embed_tokens.weight", Cut::rows},
          {"*lm_head.weight", Cut::rows, true}};
}

}  // namespace

const std::vector<ShardRules>& shard_rules() {
  static const std::vector<ShardRules> all{
      {"hf", "minimax_m3_vl", "configuration_minimax_m3_vl.py, distributed/ (transformers 5.23.0)",
       gathered_attention()},
      {"hf", "minimax_m2", "configuration_minimax_m2.py (transformers 5.23.0)", gathered_attention()},
      {"hf", "minimax_text_01", "configuration_minimax.py (transformers 5.23.0)", divided_attention()},
      {"vllm", "minimax_m3_vl",
       "not read: heads, index heads and MLP columns, as vLLM and SGLang are said to divide them", engine_rules()}};
  return all;
}

const ShardRules& find_rules(const std::string& system, const std::string& package) {
  std::vector<std::string> able;
  for (const ShardRules& rules : shard_rules()) {
    if (rules.system == system && rules.package == package) return rules;
    if (rules.system == system) able.push_back(rules.package);
  }
  throw Error(
      ErrorCode::unsupported,
      fmt::format("no rules of '{}' divide {} among ranks; {}", package, system,
                  able.empty() ? "no package has such rules" : fmt::format("use --rules {}", fmt::join(able, " or "))));
}

const ShardRule* rule_of(const ShardRules& rules, const WeightInfo& weight, const Release& release) {
  const auto found = std::find_if(rules.weights.begin(), rules.weights.end(), [&](const ShardRule& rule) {
    return release >= rule.since && glob_match(rule.weight, weight.published.front());
  });
  return found == rules.weights.end() ? nullptr : &*found;
}

}  // namespace parity

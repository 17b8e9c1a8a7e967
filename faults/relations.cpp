// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/relations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/plans/tiny_configs.hpp"
#include "faults/subject.hpp"

namespace parity::faults {
namespace {

constexpr int64_t kTokens = 20;  // ten blocks of the small M3, ten of the small Text-01

double deviation(const Tensor& a, const Tensor& b) {
  double difference = 0.0;
  double size = 0.0;
  for (int64_t i = 0; i < a.view().count(); ++i) {
    difference += std::pow(a.view().value(i) - b.view().value(i), 2);
    size += std::pow(a.view().value(i), 2);
  }
  const double result = std::sqrt(difference / size);
  return std::isnan(result) ? std::numeric_limits<double>::infinity() : result;
}

Tensor part(const Tensor& of, char axis, int64_t first, int64_t length) {
  return convert(slice(of.view(), axis, first, length), of.dtype());
}

Tensor exchanged_rows(const Tensor& of) {
  return concatenate({slice(of.view(), 'B', 1, 1), slice(of.view(), 'B', 0, 1)}, 'B');
}

/// The last axis moved on by one, around the end.
Tensor rolled_words(const Tensor& logits) {
  const int64_t words = logits.shape().back();
  return concatenate({slice(logits.view(), 'V', words - 1, 1), slice(logits.view(), 'V', 0, words - 1)}, 'V');
}

MapWeight rolled(const std::string& tensor, const std::string& axis, int64_t by) {
  MapWeight edit{tensor, "", "", "", {}};
  edit.map.kind = TensorMap::Kind::roll;
  edit.map.axis = axis;
  edit.map.by = by;
  return edit;
}

/// Tries the relations on one subject and its variants.
class Trial {
 public:
  Trial(const std::string& system, uint64_t seed, const Fault* fault)
      : system_(system), seed_(seed), fault_(fault), subject_(tiny_config(system), seed, fault) {
    ids_ = subject_.tokens(2, kTokens, seed);
    base_ = subject_.logits({ids_, {}});
  }

  [[nodiscard]] std::vector<RelationResult> results() && {
    calls();
    tokens();
    weights();
    if (system_ == "minimax_m3_vl") budgets();
    if (system_ == "minimax_text_01") blocks();
    return std::move(results_);
  }

 private:
  void add(const char* relation, const char* what, const Tensor& a, const Tensor& b, bool equal = true) {
    results_.push_back({relation, what, system_, deviation(a, b), equal, kSameRun});
  }

  [[nodiscard]] Subject variant(const std::string& key, const nlohmann::json& value) const {
    nlohmann::json config = tiny_config(system_);
    (config.contains("text_config") ? config["text_config"] : config)[key] = value;
    return {config, seed_, fault_};
  }

  void calls() {
    std::vector<int64_t> decode(kTokens / 2 + 1, 1);
    decode.front() = kTokens / 2;
    add("decode", "token by token gives what all at once gives", base_, subject_.logits({ids_, decode}));
    add("again", "the same run gives the same bits", base_, subject_.logits({ids_, {}}));
    results_.back().within = 0.0;
    if (system_ == "minimax_text_01") return;  // the package cannot: its cache holds no keys of lightning layers
    add("chunks", "uneven chunks give what all at once gives", base_, subject_.logits({ids_, {7, 9, 4}}));
    add("chunks-of-one", "a first call of one token is a call like any other", base_,
        subject_.logits({ids_, {1, kTokens - 1}}));
  }

  void tokens() {
    add("order", "sequences in another order", base_, exchanged_rows(subject_.logits({exchanged_rows(ids_), {}})));
    add("alone", "a sequence alone is what it is in a batch", part(base_, 'B', 1, 1),
        subject_.logits({part(ids_, 'B', 1, 1), {}}));
    const Tensor longer = concatenate({ids_.view(), subject_.tokens(2, 5, seed_ + 1).view()}, 'S');
    add("padding", "hidden tokens behind a sequence change nothing in it", base_,
        part(subject_.logits({longer, {}, {5, 5}}), 'S', 0, kTokens));
    Tensor other = convert(ids_.view(), DType::i64);
    for (const int64_t last : {kTokens - 1, 2 * kTokens - 1})
      other.i64()[last] = (other.i64()[last] + 1) % subject_.words();
    const Tensor changed = subject_.logits({other, {}});
    add("causal", "the last token changes nothing in front of it", part(base_, 'S', 0, kTokens - 1),
        part(changed, 'S', 0, kTokens - 1));
    add("effect", "the last token changes its own logits", part(base_, 'S', kTokens - 1, 1),
        part(changed, 'S', kTokens - 1, 1), false);
    Tensor next = convert(ids_.view(), DType::i64);
    for (int64_t i = 0; i < next.view().count(); ++i) next.i64()[i] = (next.i64()[i] + 1) % subject_.words();
    const Calls renamed{next, {}, {}, 0, {rolled("*embed_tokens.weight", "0", 1), rolled("*lm_head.weight", "0", 1)}};
    add("words", "words in another order", rolled_words(base_), subject_.logits(renamed));
  }

  void weights() {
    MapWeight next{"*experts.*.weight", "", "", "experts.", {}};
    add("experts", "experts in another order", base_,
        subject_.logits(
            {ids_,
             {},
             {},
             0,
             {next, rolled("*block_sparse_moe.gate.weight", "0", -1), rolled("*e_score_correction_bias", "0", -1)}}));
    const auto& size = subject_.sizes();
    const int64_t key = size.at('D');
    const int64_t query = size.at('A') / size.at('G') * key;
    std::vector<MapWeight> heads{
        rolled("*self_attn.q_proj.weight", "0", query), rolled("*self_attn.k_proj.weight", "0", key),
        rolled("*self_attn.v_proj.weight", "0", key), rolled("*self_attn.o_proj.weight", "1", query)};
    if (size.contains('I')) heads.push_back(rolled("*index_q_proj.weight", "0", size.at('I')));
    if (system_ == "minimax_m2") {
      heads.push_back(rolled("*self_attn.q_norm.weight", "0", query));
      heads.push_back(rolled("*self_attn.k_norm.weight", "0", key));
    }
    add("heads", "groups of heads in another order", base_, subject_.logits({ids_, {}, {}, 0, heads}));
  }

  void budgets() {
    const std::vector<std::string> dense(3, "full_attention");
    const Subject all = variant("layer_types", dense);
    const Tensor without = all.logits({ids_, {}});
    add("budget", "a budget for every block is dense attention", without,
        variant("index_topk_blocks", kTokens).logits({ids_, {}}));
    add("tight-budget", "a tight budget is not dense attention", without, base_, false);
    add("shift", "positions count from anywhere", without, all.logits({ids_, {}, {}, 100}));
  }

  void blocks() {
    add("blocks", "blocks of another length", base_, variant("block_size", 8).logits({ids_, {}}));
    add("whole", "one block for all tokens", base_, variant("block_size", 64).logits({ids_, {}}));
  }

  std::string system_;
  uint64_t seed_;
  const Fault* fault_;
  Subject subject_;
  Tensor ids_, base_;
  std::vector<RelationResult> results_;
};

}  // namespace

std::vector<RelationResult> run_relations(const Fault* fault, uint64_t seed) {
  std::vector<RelationResult> all;
  for (const char* system : {"minimax_m3_vl", "minimax_m2", "minimax_text_01"}) {
    if (!Subject(tiny_config(system), seed, fault).concerned()) continue;
    auto results = Trial(system, seed, fault).results();
    all.insert(all.end(), results.begin(), results.end());
  }
  PARITY_CHECK(!all.empty(), usage, "fault {} has no place in the small models that relations are tried on",
               fault == nullptr ? "" : fault->id);
  return all;
}

}  // namespace parity::faults

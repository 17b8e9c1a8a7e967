// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Relations between runs of a decoder: other calls, tokens or orders of weights, and features of single systems.
#include "core/plans/tiny/tiny_configs.hpp"
#include "faults/relations/relation_battery.hpp"

namespace parity::faults {
namespace {

constexpr int64_t kDecoderTokens = 20;  // ten blocks of the small M3, ten of the small Text-01

MapWeight rolled(const std::string& tensor, const std::string& axis, int64_t by) {
  MapWeight edit{tensor, "", "", "", {}};
  edit.map.kind = TensorMap::Kind::roll;
  edit.map.axis = axis;
  edit.map.by = by;
  return edit;
}

class Decoder : public Battery {
 public:
  Decoder(const std::string& name, const std::string& system, const std::string& profile, uint64_t seed,
          const Tried& tried)
      : Battery(name, seed, tried),
        system_(system),
        profile_(profile),
        subject_(subject(tiny_config(system), profile)) {
    ids_ = subject_.tokens(2, kDecoderTokens, seed);
    base_ = once(logits(whole(ids_)));
  }

  void relate() {
    calls();
    tokens();
    holes();
    weights();
    if (system_ == "minimax_m3_vl") budgets();
    if (system_ == "minimax_text_01") blocks();
  }

 private:
  [[nodiscard]] Make logits(const Run& run) { return logits_of(subject_, run); }

  static Make logits_of(const Subject& subject, const Run& run) {
    return [&subject, run](Walk& walk) { return subject.logits(run, walk); };
  }

  Subject& with(const std::string& key, const nlohmann::json& value) {
    return variant(tiny_config(system_), key, value, profile_);
  }

  void calls() {
    same("again", "the same run gives the same bits", base_, logits(whole(ids_)), 0.0);
    if (profile_ == kNemo) return;  // this profile has no cache
    same("decode", "decoding token by token equals one prefill", base_, logits(one_by_one(ids_, kDecoderTokens / 2)));
    if (system_ == "minimax_text_01") return;  // not supported: its cache has no keys of lightning layers
    same("chunks", "uneven chunks equal one prefill", base_, logits(in_calls(ids_, {7, 9, 4})));
    same("chunks-of-one", "a prefill of one token, then decoding, equals one prefill", base_,
         logits(in_calls(ids_, {1, kDecoderTokens - 1})));
  }

  void tokens() {
    const std::vector<int64_t> exchanged{1, 0};
    same("order", "reordered sequences give reordered results", base_,
         picked(logits(whole(picked(ids_, 0, exchanged))), 0, exchanged));
    same("alone", "a sequence alone equals the same sequence in a batch", part(base_, 'B', 1, 1),
         logits(whole(part(ids_, 'B', 1, 1))));
    Run longer = whole(concatenate({ids_.view(), subject_.tokens(2, 5, seed_ + 1).view()}, 'S'));
    longer.hidden = {5, 5};
    same("padding", "masked tokens after a sequence change nothing in it", base_,
         part(logits(longer), 'S', 0, kDecoderTokens));
    const Make changed = once(logits(whole(next_words_at(ids_, subject_.words(), kDecoderTokens - 1))));
    same("causal", "the last token changes nothing before it", part(base_, 'S', 0, kDecoderTokens - 1),
         part(changed, 'S', 0, kDecoderTokens - 1));
    differ("effect", "the last token changes its own logits", part(base_, 'S', kDecoderTokens - 1, 1),
           part(changed, 'S', kDecoderTokens - 1, 1));
    Run renamed = whole(next_words(ids_, subject_.words()));
    renamed.weights.maps = {rolled("*embed_tokens.weight", "0", 1), rolled("*lm_head.weight", "0", 1)};
    same("words", "a permuted vocabulary gives permuted logits", picked(base_, 2, moved_on(subject_.words(), 1)),
         logits(renamed));
  }

  /// Prompts of unequal length padded on the right leave holes before the decoded tokens.
  void holes() {
    // With a smaller budget the runs would differ: the package's indexer also scores masked slots.
    const Subject& model = system_ == "minimax_m3_vl" ? with("index_topk_blocks", kDecoderTokens) : subject_;
    Run run = whole(ids_);
    run.holes = {6, 7, 8};
    Run other = run;
    for (const int64_t hole : run.holes) other.turns[0].ids = next_words_at(other.turns[0].ids, subject_.words(), hole);
    constexpr int64_t kBehind = 9;
    same("holes", "masked tokens change nothing after them",
         part(logits_of(model, run), 'S', kBehind, kDecoderTokens - kBehind),
         part(logits_of(model, other), 'S', kBehind, kDecoderTokens - kBehind));
  }

  void weights() {
    Run run = whole(ids_);
    run.weights.maps = {MapWeight{"*experts.*.weight", "", "", "experts.", {}},
                        rolled("*block_sparse_moe.gate.weight", "0", -1), rolled("*e_score_correction_bias", "0", -1)};
    same("experts", "permuted experts change nothing", base_, logits(run));
    const auto& size = subject_.sizes();
    const int64_t key = size.at('D');
    const int64_t query = size.at('A') / size.at('G') * key;
    run.weights.maps = {rolled("*self_attn.q_proj.weight", "0", query), rolled("*self_attn.k_proj.weight", "0", key),
                        rolled("*self_attn.v_proj.weight", "0", key), rolled("*self_attn.o_proj.weight", "1", query)};
    if (size.contains('I')) run.weights.maps.push_back(rolled("*index_q_proj.weight", "0", size.at('I')));
    if (system_ == "minimax_m2") {
      run.weights.maps.push_back(rolled("*self_attn.q_norm.weight", "0", query));
      run.weights.maps.push_back(rolled("*self_attn.k_norm.weight", "0", key));
    }
    same("heads", "permuted groups of heads change nothing", base_, logits(run));
  }

  void budgets() {
    const std::vector<std::string> dense(3, "full_attention");
    const Subject& all = with("layer_types", dense);
    const Make without = once(logits_of(all, whole(ids_)));
    same("budget", "a budget of all blocks equals dense attention", without,
         logits_of(with("index_topk_blocks", kDecoderTokens), whole(ids_)));
    differ("tight-budget", "a small budget of blocks differs from dense attention", without, base_);
    Run later = whole(ids_);
    later.first_position = 100;
    same("shift", "shifting all positions changes nothing", without, logits_of(all, later));
  }

  void blocks() {
    same("blocks", "another block length changes nothing", base_, logits_of(with("block_size", 8), whole(ids_)));
    same("whole", "one block for all tokens changes nothing", base_, logits_of(with("block_size", 64), whole(ids_)));
  }

  std::string system_, profile_;
  Subject& subject_;
  Tensor ids_;
  Make base_;
};

}  // namespace

Battery decoder_relations(const std::string& system, uint64_t seed, const Tried& tried) {
  Decoder battery(system, system, {}, seed, tried);
  battery.relate();
  return battery;  // keeps the results, but not the subjects
}

Battery nemo_relations(uint64_t seed, const Tried& tried) {
  Decoder battery("minimax_m3_vl in NeMo", "minimax_m3_vl", kNemo, seed, tried);
  battery.relate();
  return battery;  // keeps the results, but not the subjects
}

}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/profile.hpp"

#include "core/plans/release.hpp"

namespace parity {
namespace {

/// LibTorch's flash kernel on CPU: binary32 scores; un-normalised weights are rounded to T; key tiles of 512.
RoundingTable sdpa_rounding() {
  RoundingTable table;
  for (const char* component : {"attention_dense", "attention_block_sparse", "vision_attention"}) {
    table[std::string(component) + ".score"] = Precision::single;
    table[std::string(component) + ".scaled"] = Precision::single;
  }
  return table;
}

/// M2 and Text-01: plain norms round the normalised value to T. SiLU is one operation on T; silu(gate) up has no gain
/// on the sigmoid and no offset that could round.
RoundingTable silu_rounding() {
  return {{"rms_norm.normalised", Precision::working},
          {"moe_experts.scaled", Precision::exact},
          {"moe_experts.sigmoid", Precision::single},
          {"moe_experts.shifted", Precision::exact}};
}

/// From transformers 5.16.0 on the auxiliary loss adds and averages probabilities in binary32, whatever the logits' type.
RoundingTable with_single_aux_loss(RoundingTable table) {
  table["router_aux_loss.column"] = Precision::single;
  table["router_aux_loss.mean"] = Precision::single;
  return table;
}

/// The code published with MiniMax-Text-01: state, decays and rotary tables are binary32. Block outputs are cast once;
/// a cached state is cast before it is read.
RoundingTable text01_original_rounding() {
  RoundingTable table = silu_rounding();
  table["router_aux_loss.share"] = Precision::single;
  for (const char* point : {"decayed_score", "query", "intra", "inter", "exponent", "decay", "decayed_state", "state"})
    table[std::string("lightning_attention.") + point] = Precision::single;
  table["lightning_attention.read_state"] = Precision::working;
  table["lightning_tables.base"] = Precision::exact;  // slopes are a list of Python numbers
  for (const char* point : {"power", "slope", "exponent", "decay"})
    table[std::string("lightning_tables.") + point] = Precision::single;
  table["rotary_tables.out"] = Precision::single;
  table["partial_rope.direct"] = Precision::single;
  table["partial_rope.crossed"] = Precision::single;
  return table;
}

/// NeMo Automodel: activations and vision tables are binary32 and rounded once; the experts' output has no multiplier.
RoundingTable nemo_rounding() {
  RoundingTable table{{"moe_combine.scaled", Precision::exact}, {"vision_rotary_tables.out", Precision::single}};
  for (const char* point : {"limit", "scaled", "sigmoid", "gated", "shifted"})
    table[std::string("swiglu.") + point] = Precision::single;
  for (const char* point : {"direct", "crossed"}) table[std::string("vision_rope.") + point] = Precision::single;
  return table;
}

std::vector<const Profile*> of_system(const std::vector<Profile>& list, const std::string& system) {
  std::vector<const Profile*> found;
  for (const Profile& profile : list)
    if (profile.system == system) found.push_back(&profile);
  return found;
}

/// A suffix "-f64" says in which type a release ran.
std::string without_suffix(const std::string& name) {
  constexpr std::string_view kSuffix = "-f64";
  const bool binary64 = name.size() > kSuffix.size() && name.ends_with(kSuffix);
  return binary64 ? name.substr(0, name.size() - kSuffix.size()) : name;
}

}  // namespace

const std::vector<Profile>& profiles() {
  const RoundingTable aux32 = with_single_aux_loss({});
  const ParamMap per_group{{"index_block_scores.per_group", true}};
  const ParamMap per_group_pooled{{"index_block_scores.per_group", true}, {"router_aux_loss.pooled_slots", true}};
  static const std::vector<Profile> list{
      {"minimax_m3_vl",
       "hf-5.12.0",
       {"hf-5.12.1"},
       "transformers 5.12.0: one block list per query",
       {{"index_block_scores.per_group", false}},
       {},
       {{"vision.batch_axis", true}, {"index_cropped_twice", true}}},
      {"minimax_m3_vl",
       "hf-5.13.0",
       {"hf-5.13.1", "hf-5.14.0", "hf-5.14.1"},
       "transformers 5.13.0: one block list per index head",
       per_group,
       {},
       {{"vision.batch_axis", true}, {"index_cropped_twice", true}}},
      {"minimax_m3_vl",
       "hf-5.15.0",
       {"hf-5.15.1"},
       "transformers 5.15.0: a negative crop of the cache drops as many index keys as keys",
       per_group,
       {},
       {{"vision.batch_axis", true}}},
      {"minimax_m3_vl",
       "hf-5.16.0",
       {"hf-5.16.1"},
       "transformers 5.16.0: aux loss in binary32",
       per_group_pooled,
       aux32,
       {{"vision.batch_axis", true}}},
      {"minimax_m3_vl",
       "hf-5.17.0",
       {},
       "transformers 5.17.0: vision rotary tables encode frame and row only, over the whole head (only in this "
       "release); the multimodal model's loss is divided by num_items_in_batch",
       per_group_pooled,
       aux32,
       {{"vision.batch_axis", true}, {"vision.two_coordinates", true}, {"vl.num_items", true}}},
      {"minimax_m3_vl",
       "hf-5.18.0",
       {"hf-5.19.0", "hf-5.20.0", "hf-5.20.1", "hf-5.20.2", "hf-5.21.0", "hf-5.21.1", "hf-5.22.0", "hf-5.22.1",
        "hf-5.22.2"},
       "transformers 5.18.0: the multimodal model has the router's aux loss",
       per_group_pooled,
       aux32,
       {{"vision.batch_axis", true}, {"vl.aux_loss", true}, {"vl.num_items", true}}},
      {"minimax_m3_vl",
       "hf-5.23.0",
       {"hf-5.24.0"},
       "transformers 5.23.0: vision attention within each image or whole video",
       {{"index_block_scores.per_group", true},
        {"router_aux_loss.pooled_slots", true},
        {"vision_attention.per_medium", true}},
       aux32,
       {{"vl.aux_loss", true}, {"vl.num_items", true}}},
      {"minimax_m3_vl",
       "nemo",
       {"nemo-0.6"},
       "nemo-automodel 0.6.0: no cache; routing weights are applied before the down projection of each expert; the "
       "router's weight is rounded to T on load",
       {{"attention_block_sparse.zero_blind_rows", true}, {"vision_attention.per_medium", true}},
       nemo_rounding(),
       {{"nemo", true}, {"vision.batch_axis", true}, {"vision.binary32_tables", true}}},
      {"minimax_m3_vl",
       "nemo-0.7",
       {},
       "nemo-automodel 0.7.0: the router's weight is kept in binary32",
       {{"attention_block_sparse.zero_blind_rows", true}, {"vision_attention.per_medium", true}},
       nemo_rounding(),
       {{"nemo", true}, {"router_weight_single", true}, {"vision.batch_axis", true}, {"vision.binary32_tables", true}}},
      {"minimax_m2",
       "hf-5.1.0",
       {"hf-5.2.0",  "hf-5.3.0",  "hf-5.4.0",  "hf-5.5.0",  "hf-5.5.1",  "hf-5.5.2",  "hf-5.5.3",
        "hf-5.5.4",  "hf-5.6.0",  "hf-5.6.1",  "hf-5.6.2",  "hf-5.7.0",  "hf-5.8.0",  "hf-5.8.1",
        "hf-5.9.0",  "hf-5.10.1", "hf-5.10.2", "hf-5.10.4", "hf-5.11.0", "hf-5.12.0", "hf-5.12.1",
        "hf-5.13.0", "hf-5.13.1", "hf-5.14.0", "hf-5.14.1", "hf-5.15.0", "hf-5.15.1"},
       "transformers 5.1.0 to 5.15.1: rotary_dim is not read, auxiliary loss in the working type",
       {},
       silu_rounding(),
       {{"rotary_dim", false}}},
      {"minimax_m2",
       "hf-5.16.0",
       {"hf-5.16.1", "hf-5.17.0"},
       "transformers 5.16.0 to 5.17.0: rotary_dim is not read, auxiliary loss in binary32",
       {{"router_aux_loss.pooled_slots", true}},
       with_single_aux_loss(silu_rounding()),
       {{"rotary_dim", false}}},
      {"minimax_m2",
       "hf-5.18.0",
       {"hf-5.19.0", "hf-5.20.0", "hf-5.20.1", "hf-5.20.2", "hf-5.21.0", "hf-5.21.1", "hf-5.22.0", "hf-5.22.1",
        "hf-5.22.2", "hf-5.23.0", "hf-5.24.0"},
       "transformers 5.18.0 and later: rotary_dim is honoured",
       {{"router_aux_loss.pooled_slots", true}},
       with_single_aux_loss(silu_rounding()),
       {{"rotary_dim", true}}},
      {"minimax_text_01",
       "hf-4.56.2",
       {},
       "transformers 4.56.2: plain norms; state, decays and routing weights in the working type",
       {},
       silu_rounding(),
       {{"rotary_dim", false}, {"mask_from_layer_0", true}}},
      {"minimax_text_01",
       "original",
       {},
       "the code published with MiniMax-Text-01; no golden of it is recorded",
       {{"lightning_tables.depth_epsilon", 0.0}, {"lightning_tables.interpolated", true}},
       text01_original_rounding(),
       {{"rotary_dim", true}, {"mask_from_layer_0", false}}},
  };
  return list;
}

const Profile& find_profile(const std::string& system, const std::string& name) {
  return profile_in(of_system(profiles(), system), without_suffix(name), "profile");
}

std::string assumed_release(const std::string& system, const std::string& name) {
  const std::string release = without_suffix(name);
  const NearestProfile found = nearest_profile(of_system(profiles(), system), release);
  return found.release == release ? "" : found.release;
}

const Profile& find_attention(const std::string& name) {
  static const std::vector<Profile> list{
      {"", "eager", {}, "eager_attention_forward", {}, {}},
      {"",
       "sdpa",
       {},
       "sdpa_attention_forward",
       {{"attention_dense.normalise_first", false},
        {"attention_dense.zero_blind_rows", true},  // the mask of the sparse layers is additive here, too
        {"attention_block_sparse.normalise_first", false},
        {"vision_attention.normalise_first", false}},
       sdpa_rounding()},
  };
  return profile_in(of_system(list, ""), name, "attention implementation");
}

std::string newest_profile(const std::string& system) {
  std::string name;
  for (const Profile& profile : profiles()) {
    if (profile.system == system && profile.name.starts_with("hf-")) name = profile.name;  // oldest first
  }
  return name;
}

}  // namespace parity

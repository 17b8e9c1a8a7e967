// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/profile.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace parity {
namespace {

/// LibTorch's flash kernel on CPU: binary32 scores; un-normalised weights rounded to T; key tiles of 512.
RoundingTable sdpa_rounding() {
  RoundingTable table;
  for (const char* component : {"attention_dense", "attention_block_sparse", "vision_attention"}) {
    table[std::string(component) + ".score"] = Precision::single;
    table[std::string(component) + ".scaled"] = Precision::single;
  }
  return table;
}

const Profile& find_in(const std::vector<Profile>& list, const std::string& system, const std::string& name,
                       const char* what) {
  std::vector<std::string> names;
  for (const Profile& profile : list) {
    if (profile.system != system) continue;
    if (profile.name == name || std::find(profile.also.begin(), profile.also.end(), name) != profile.also.end())
      return profile;
    names.push_back(profile.name);
    names.insert(names.end(), profile.also.begin(), profile.also.end());
  }
  throw Error(ErrorCode::unsupported, fmt::format("{} '{}' is not known{}; known: {}", what, name,
                                                  did_you_mean(name, names), fmt::join(names, " ")));
}

}  // namespace

const std::vector<Profile>& profiles() {
  // From 5.16.0 on the aux loss adds up probabilities in binary32, whatever the type of the logits.
  const RoundingTable aux32{{"router_aux_loss.column", Precision::single}, {"router_aux_loss.mean", Precision::single}};
  const ParamMap per_group{{"index_block_scores.per_group", true}};
  static const std::vector<Profile> list{
      {"minimax_m3_vl",
       "hf-5.12.0",
       {"hf-5.12.1"},
       "transformers 5.12.0: one block list per query",
       {{"index_block_scores.per_group", false}},
       {},
       {"vision.batch_axis"}},
      {"minimax_m3_vl",
       "hf-5.13.0",
       {"hf-5.14.0", "hf-5.15.0"},
       "transformers 5.13.0: one block list per index head",
       per_group,
       {},
       {"vision.batch_axis"}},
      {"minimax_m3_vl",
       "hf-5.16.0",
       {"hf-5.16.1"},
       "transformers 5.16.0: the router's aux loss is rewritten",
       per_group,
       aux32,
       {"vision.batch_axis"}},
      {"minimax_m3_vl",
       "hf-5.17.0",
       {},
       "transformers 5.17.0: vision rotary tables of frame and row over the whole head (undone in the next release)",
       per_group,
       aux32,
       {"vision.batch_axis", "vision.two_coordinates"}},
      {"minimax_m3_vl",
       "hf-5.18.0",
       {"hf-5.19.0", "hf-5.20.0", "hf-5.21.0", "hf-5.22.0"},
       "transformers 5.18.0: the multimodal model has the router's aux loss",
       per_group,
       aux32,
       {"vision.batch_axis", "vl.aux_loss"}},
      {"minimax_m3_vl",
       "hf-5.23.0",
       {},
       "transformers 5.23.0: vision attention within each image or whole video",
       {{"index_block_scores.per_group", true}, {"vision_attention.per_medium", true}},
       aux32,
       {"vl.aux_loss"}},
  };
  return list;
}

const Profile& find_profile(const std::string& system, const std::string& name) {
  constexpr std::string_view kSuffix = "-f64";
  const bool binary64 = name.size() > kSuffix.size() && name.ends_with(kSuffix);
  return find_in(profiles(), system, binary64 ? name.substr(0, name.size() - kSuffix.size()) : name, "profile");
}

const Profile& find_attention(const std::string& name) {
  static const std::vector<Profile> list{
      {"", "eager", {}, "eager_attention_forward", {}, {}},
      {"",
       "sdpa",
       {},
       "sdpa_attention_forward",
       {{"attention_dense.normalise_first", false},
        {"attention_block_sparse.normalise_first", false},
        {"vision_attention.normalise_first", false}},
       sdpa_rounding()},
  };
  return find_in(list, "", name, "attention implementation");
}

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/profile.hpp"

#include "core/error.hpp"
#include "core/plans/profile_file.hpp"
#include "core/plans/profile_files.hpp"  // generated: the texts of core/plans/profiles/
#include "core/plans/release.hpp"

namespace parity {
namespace {

/// The profiles of the folder of that name; the folder of a model family has its name.
std::vector<Profile> embedded(const std::string& folder, const std::string& system) {
  return profiles_in("core/plans/profiles/" + folder, system, {kProfileFiles.begin(), kProfileFiles.end()});
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

const ParamMap& config_defaults() {
  static const ParamMap defaults{
      {"index_cropped_twice", false},     // a negative crop of the cache drops twice as many index keys as keys
      {"mask_from_layer_0", false},       // the number of cached tokens, which a mask covers, is taken from layer 0
      {"nemo", false},                    // the package is NeMo Automodel
      {"padding_masks_qkv", false},       // lightning attention masks padding in queries and keys, too, in every call
      {"rotary_dim", false},              // config.json's rotary_dim is read
      {"router_returns_scores", false},   // the auxiliary loss is computed from scores instead of logits
      {"router_weight_single", false},    // the router's weight stays binary32
      {"segment", int64_t{0}},            // vision_segment_max_frames if config.json lacks it
      {"size_is_area", false},            // the image processor's limits are in `size`
      {"vision.batch_axis", false},       // tensors of the vision tower begin with an axis of extent 1
      {"vision.binary32_tables", false},  // rotary tables of the vision tower are binary32
      {"vision.two_coordinates", false},  // rotary tables of the vision tower encode frame and row, not the column
      {"vl.aux_loss", false},             // the multimodal model adds the router's auxiliary loss
      {"vl.num_items", false},            // the multimodal model's loss is divided by num_items_in_batch
  };
  return defaults;
}

ParamValue Profile::configured(const std::string& key, const ParamValue& kind) const {
  const auto known = config_defaults().find(key);
  PARITY_CHECK(known != config_defaults().end() && known->second.index() == kind.index(), internal,
               "profiles have no config key '{}' of this type", key);
  const auto found = config.find(key);
  return found == config.end() ? known->second : found->second;
}

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> list = [] {
    std::vector<Profile> all;
    for (const char* system : {"minimax_m3_vl", "minimax_m2", "minimax_text_01"}) {
      for (Profile& profile : embedded(system, system)) all.push_back(std::move(profile));
    }
    return all;
  }();
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
  static const std::vector<Profile> list = embedded("attention", "");
  return profile_in(of_system(list, ""), name, "attention implementation");
}

const std::vector<Profile>& processor_profiles() {
  static const std::vector<Profile> list = embedded("m3_processors", "minimax_m3_vl");
  return list;
}

const Profile& find_processor_profile(const std::string& name) {
  return profile_in(of_system(processor_profiles(), "minimax_m3_vl"), name, "the processors' profile");
}

std::string newest_profile(const std::string& system) {
  std::string name;
  for (const Profile& profile : profiles()) {
    if (profile.system == system && profile.name.starts_with("hf-")) name = profile.name;  // oldest first
  }
  return name;
}

}  // namespace parity

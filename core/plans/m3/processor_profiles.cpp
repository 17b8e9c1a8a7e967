// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/m3/processor_profiles.hpp"

#include "core/plans/release.hpp"

namespace parity {
namespace {

constexpr const char* kProcessorSystem = "minimax_m3_vl";

/// Settings that select Qwen's size rule for images and videos.
ParamMap qwen_sizes() { return {{"smart_resize.whole_side", true}, {"media_grid.whole_side", true}}; }

ParamMap with(ParamMap settings, const ParamMap& more) {
  settings.insert(more.begin(), more.end());
  return settings;
}

}  // namespace

const std::vector<Profile>& processor_profiles() {
  const ParamMap area{{"size_is_area", true}};
  const ParamMap whole = with(qwen_sizes(), {{"frame_sampling.whole_numbers", true}});
  const ParamMap one = with(whole, {{"frame_sampling.at_least_one", true}});
  static const std::vector<Profile> list{
      {kProcessorSystem,
       "hf-5.12.0",
       {"hf-5.12.1", "hf-5.13.0", "hf-5.13.1", "hf-5.14.0", "hf-5.14.1"},
       "transformers 5.12.0: its own size rule, frames by torch.arange",
       {},
       {},
       {}},
      {kProcessorSystem,
       "hf-5.15.0",
       {"hf-5.15.1", "hf-5.16.0", "hf-5.16.1", "hf-5.17.0"},
       "transformers 5.15.0: the size rule of Qwen2-VL, limits of images in `size`",
       qwen_sizes(),
       {},
       area},
      {kProcessorSystem,
       "hf-5.18.0",
       {"hf-5.19.0", "hf-5.20.0", "hf-5.20.1", "hf-5.20.2"},
       "transformers 5.18.0: frames by whole numbers",
       whole,
       {},
       area},
      {kProcessorSystem,
       "hf-5.21.0",
       {"hf-5.21.1", "hf-5.22.0", "hf-5.22.1", "hf-5.22.2"},
       "transformers 5.21.0: at least one frame",
       one,
       {},
       area},
      {kProcessorSystem,
       "hf-5.23.0",
       {"hf-5.24.0"},
       "transformers 5.23.0: videos in segments of up to four temporal patches",
       one,
       {},
       with(area, {{"segment", int64_t{4}}})},
  };
  return list;
}

const Profile& find_processor_profile(const std::string& name) {
  std::vector<const Profile*> list;
  for (const Profile& profile : processor_profiles()) list.push_back(&profile);
  return profile_in(list, name, "the processors' profile");
}

}  // namespace parity

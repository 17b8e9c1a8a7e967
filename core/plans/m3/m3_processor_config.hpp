// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Configuration of M3's image and video processors.
#pragma once

#include <array>

#include <nlohmann/json_fwd.hpp>

#include "core/plans/m3/smart_size.hpp"
#include "core/plans/profile.hpp"

namespace parity {

struct ProcessorConfig {
  int64_t patch = 14, merge = 2, temporal = 2;
  int64_t least_pixels = 3136, most_pixels = 451584;
  bool whole_side = false;  // SizeRule::whole_side
  int64_t segment = 0;      // largest number of temporal patches in a grid row; 0: no limit
  double rescale = 1.0 / 255.0;
  std::array<double, 3> mean{0.48145466, 0.4578275, 0.40821073};
  std::array<double, 3> deviation{0.26862954, 0.26130258, 0.27577711};

  [[nodiscard]] SizeRule rule(int64_t most) const {
    return {patch * merge, least_pixels, most > 0 ? most : most_pixels, whole_side};
  }
  /// Number of rows in the grid of a video with `frames` frames.
  [[nodiscard]] int64_t rows(int64_t frames) const {
    const int64_t patches = (frames + temporal - 1) / temporal;
    return segment > 0 ? (patches + segment - 1) / segment : 1;
  }
};

/// The configuration of a processor; `config` has those of both under "image_processor" and "video_processor".
/// Error{schema} names a wrong key; Error{unsupported} is thrown if pixels are not rescaled or not normalised.
[[nodiscard]] ProcessorConfig image_processor_config(const nlohmann::json& config, const Profile& profile);
[[nodiscard]] ProcessorConfig video_processor_config(const nlohmann::json& config, const Profile& profile);

}  // namespace parity

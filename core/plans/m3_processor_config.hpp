// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What M3's image and video processors are configured to do.
#pragma once

#include <array>

#include <nlohmann/json_fwd.hpp>

#include "core/plans/profile.hpp"
#include "core/plans/smart_size.hpp"

namespace parity {

struct ProcessorConfig {
  int64_t patch = 14, merge = 2, temporal = 2;
  int64_t least_pixels = 3136, most_pixels = 451584;
  bool whole_side = false;  // of the size rule
  int64_t segment = 0;      // most temporal patches of a row of the grid; 0: any number
  double rescale = 1.0 / 255.0;
  std::array<double, 3> mean{0.48145466, 0.4578275, 0.40821073};
  std::array<double, 3> deviation{0.26862954, 0.26130258, 0.27577711};

  [[nodiscard]] SizeRule rule(int64_t most) const {
    return {patch * merge, least_pixels, most > 0 ? most : most_pixels, whole_side};
  }
  /// Rows of the grid of a video.
  [[nodiscard]] int64_t rows(int64_t frames) const {
    const int64_t patches = (frames + temporal - 1) / temporal;
    return segment > 0 ? (patches + segment - 1) / segment : 1;
  }
};

/// `config` holds the processors' own under "image_processor" and "video_processor". Error{schema} names a key that is wrong;
/// Error{unsupported}: pixels that are not rescaled or not normalised.
[[nodiscard]] ProcessorConfig image_processor_config(const nlohmann::json& config, const Profile& profile);
[[nodiscard]] ProcessorConfig video_processor_config(const nlohmann::json& config, const Profile& profile);

}  // namespace parity

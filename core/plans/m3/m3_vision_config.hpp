// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The vision half of MiniMax-M3's configuration, read as the real package reads it.
#pragma once

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

namespace parity {

/// Defaults are those of MiniMaxM3VLVisionConfig and MiniMaxM3VLConfig (transformers 5.12.0).
struct M3VisionConfig {
  int64_t hidden_size = 1280;
  int64_t intermediate_size = 5120;
  int64_t num_hidden_layers = 32;
  int64_t num_attention_heads = 16;
  int64_t num_channels = 3;
  int64_t patch_size = 14;
  int64_t temporal_patch_size = 2;
  int64_t spatial_merge_size = 2;
  double layer_norm_eps = 1e-5;
  double rope_theta = 1e4;
  // keys of the top level of config.json
  int64_t projector_hidden_size = 6144;
  int64_t image_token = 200025;
  int64_t video_token = 200026;

  [[nodiscard]] int64_t head_dim() const { return hidden_size / num_attention_heads; }
  [[nodiscard]] int64_t patch_values() const { return num_channels * temporal_patch_size * patch_size * patch_size; }
  [[nodiscard]] int64_t merged_patches() const { return spatial_merge_size * spatial_merge_size; }
  /// Rotated channels per head: an even share for each of 3 coordinates, or (a release's defect) half a head for 2.
  [[nodiscard]] int64_t rotary_width(int64_t coordinates) const;
};

/// Reads the top level of a config.json. Error{schema} names the key, its value and the expected one;
/// Error{unsupported} is thrown for activations and rope types that are not implemented.
[[nodiscard]] M3VisionConfig parse_m3_vision_config(const nlohmann::json& config);

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/m3/m3_vision_config.hpp"

#include <array>

#include "core/error.hpp"
#include "core/plans/config_reader.hpp"

namespace parity {
namespace {

using nlohmann::json;

constexpr int64_t kMostPixels = 4096;  // along one side of a patch or in time

void read_sizes(const ConfigReader& vision, M3VisionConfig& config) {
  vision.integer("hidden_size", config.hidden_size);
  vision.integer("intermediate_size", config.intermediate_size);
  vision.integer("num_hidden_layers", config.num_hidden_layers, 1, kMostLayers);
  vision.integer("num_attention_heads", config.num_attention_heads);
  vision.integer("num_channels", config.num_channels, 1, kMostPixels);
  vision.integer("patch_size", config.patch_size, 1, kMostPixels);
  vision.integer("temporal_patch_size", config.temporal_patch_size, 1, kMostPixels);
  vision.integer("spatial_merge_size", config.spatial_merge_size, 1, kMostPixels);
  vision.real("layer_norm_eps", config.layer_norm_eps);
}

/// Releases from 5.17.0 on write the type "axial" for the embedding that earlier ones call "default".
void read_rope(const ConfigReader& vision, M3VisionConfig& config) {
  vision.with(Typing::filled).real("rope_theta", config.rope_theta);
  const json* parameters = vision.object("rope_parameters");
  if (parameters == nullptr) return;
  const ConfigReader rope(*parameters);
  rope.real("rope_theta", config.rope_theta);
  for (const char* key : {"rope_type", "type"}) {
    const json* type = rope.present(key);
    PARITY_CHECK(type == nullptr || *type == "default" || *type == "axial", unsupported,
                 "config key 'vision_config.rope_parameters.{}' is {}; only the 3-D rotary embedding is implemented",
                 key, type->dump());
  }
}

void check(const M3VisionConfig& c) {
  PARITY_CHECK(c.hidden_size % c.num_attention_heads == 0, schema,
               "config: a vision tower of {} channels is not a multiple of {} heads", c.hidden_size,
               c.num_attention_heads);
  PARITY_CHECK(c.rotary_width(3) > 0, schema,
               "config: vision heads of {} channels are too narrow for three rotary axes", c.head_dim());
  PARITY_CHECK(c.rope_theta > 0.0, schema, "config: rope_theta of vision_config is {}; use a number above 0",
               c.rope_theta);
  PARITY_CHECK(c.layer_norm_eps >= 0.0, schema, "config: layer_norm_eps of vision_config is {}; use 0 or more",
               c.layer_norm_eps);
  PARITY_CHECK(c.image_token != c.video_token, schema,
               "config: image_token_index and video_token_index are both token {}; use different tokens",
               c.image_token);
}

}  // namespace

int64_t M3VisionConfig::rotary_width(int64_t coordinates) const {
  const int64_t band = coordinates == 3 ? 2 * (2 * (head_dim() / 2) / 3 / 2) : head_dim() / 2;
  return coordinates * band;
}

M3VisionConfig parse_m3_vision_config(const nlohmann::json& config) {
  const ConfigReader top(config, Typing::strict);
  M3VisionConfig result;
  const json empty = json::object();
  const json* nested = top.object("vision_config");
  const ConfigReader vision(nested == nullptr ? empty : *nested, Typing::strict);
  read_sizes(vision, result);
  read_rope(vision, result);
  const json* activation = vision.present("hidden_act");
  PARITY_CHECK(activation == nullptr || *activation == "gelu", unsupported,
               "config key 'vision_config.hidden_act' is {}; only \"gelu\" is implemented", activation->dump());
  top.integer("projector_hidden_size", result.projector_hidden_size);
  for (const char* key : {"image_token_index", "image_token_id"}) top.integer(key, result.image_token, 0);  // aliases:
  for (const char* key : {"video_token_index", "video_token_id"}) top.integer(key, result.video_token, 0);  // set last
  check(result);
  return result;
}

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/m3/m3_processor_config.hpp"

#include <algorithm>

#include "core/plans/config_reader.hpp"

namespace parity {
namespace {

constexpr int64_t kMostVideoPixels = 602112;  // per frame

void colours(const ConfigReader& config, const char* key, std::array<double, 3>& target) {
  const nlohmann::json* list = config.present(key);
  if (list == nullptr) return;
  const bool numbers = list->is_array() && list->size() == 3 &&
                       std::all_of(list->begin(), list->end(), [](const auto& x) { return x.is_number(); });
  PARITY_CHECK(numbers, schema, "config key '{}' is not a list of three numbers", key);
  for (size_t c = 0; c < 3; ++c) target[c] = (*list)[c].get<double>();
}

/// Reads the keys that both processors share.
void read_common(const char* name, const ConfigReader& reader, ProcessorConfig& result) {
  constexpr int64_t kLargest = 1024;
  reader.integer("patch_size", result.patch, 1, kLargest);
  reader.integer("merge_size", result.merge, 1, kLargest);
  reader.integer("temporal_patch_size", result.temporal, 1, kLargest);
  reader.real("rescale_factor", result.rescale);
  PARITY_CHECK(result.rescale > 0.0, schema, "config key 'rescale_factor' is {}, not positive", result.rescale);
  colours(reader, "image_mean", result.mean);
  colours(reader, "image_std", result.deviation);
  for (const char* step : {"do_rescale", "do_normalize"}) {
    bool done = true;
    reader.boolean(step, done);
    PARITY_CHECK(done, unsupported, "{}: {} is false; only rescaled and normalised pixels are judged", name, step);
  }
}

ProcessorConfig defaults_of(const Profile& profile) {
  ProcessorConfig result;
  const auto whole_side = profile.settings.find("media_grid.whole_side");
  if (whole_side != profile.settings.end()) result.whole_side = std::get<bool>(whole_side->second);
  result.segment = profile.number("segment");
  return result;
}

}  // namespace

ProcessorConfig image_processor_config(const nlohmann::json& config, const Profile& profile) {
  constexpr const char* kName = "image_processor";
  ProcessorConfig result = defaults_of(profile);
  const nlohmann::json* object = ConfigReader(config).object(kName);
  if (object == nullptr) return result;
  const ConfigReader reader(*object);
  read_common(kName, reader, result);
  if (profile.does("size_is_area")) {
    if (const nlohmann::json* size = reader.object("size")) {
      ConfigReader(*size).integer("shortest_edge", result.least_pixels);
      ConfigReader(*size).integer("longest_edge", result.most_pixels);
    }
    reader.integer("min_pixels", result.least_pixels);
  }  // otherwise "size" and "min_pixels" may be present, but the package does not read them
  reader.integer("max_pixels", result.most_pixels);
  return result;
}

ProcessorConfig video_processor_config(const nlohmann::json& config, const Profile& profile) {
  constexpr const char* kName = "video_processor";
  ProcessorConfig result = defaults_of(profile);
  result.most_pixels = kMostVideoPixels;
  const nlohmann::json* object = ConfigReader(config).object(kName);
  if (object == nullptr) return result;
  const ConfigReader reader(*object);
  read_common(kName, reader, result);
  reader.integer("min_pixels", result.least_pixels);
  reader.integer("max_pixels", result.most_pixels);
  constexpr const char* kSegment = "vision_segment_max_frames";
  if (result.segment > 0 && reader.has(kSegment) && reader.present(kSegment) == nullptr) result.segment = 0;
  if (result.segment > 0) reader.integer(kSegment, result.segment);
  return result;
}

}  // namespace parity

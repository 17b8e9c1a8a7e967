// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The plan of M3's processors: size rule, grids, sampled frames, images, videos, prompts. It calls no model.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/plan.hpp"

namespace parity {

/// An image or a video as the processor receives it. An image is one frame, recorded without the axis T.
struct RawMedium {
  std::string id;  // "00"
  Shape shape;     // [T,]C,H,W
  bool resize = true;
  int64_t most_pixels = 0;  // limit of the size rule; 0: that of config.json
};

/// A table of sizes for which grids and token counts are recorded, but no pixels. The kernel decides which are refused.
struct SizeTable {
  std::string id;      // "00"
  bool video = false;  // rows are (frames, h, w); otherwise (h, w)
  int64_t sizes = 0;
  int64_t rows = 0;  // total rows of the grids
  bool resize = true;
  int64_t most_pixels = 0;  // limit of the size rule; 0: that of config.json
};

/// A prompt with the lengths that the recording has; the kernel computes the expanded text.
struct RawPrompt {
  std::string id;
  int64_t bytes = 0, expanded = 0, tokens = 0;  // -1 for `expanded` or `tokens`: not recorded
  int64_t images = 0;                           // 0: no images are recorded
  int64_t videos = 0;
  std::vector<int64_t> frames = {};  // number of listed frames of each video; empty if times are unknown
  bool types = false;                // mm_token_type_ids are recorded
  int64_t video_rows = 0;            // rows of the grid of all videos
};

struct ProcessorRequest {
  std::string profile = "hf-5.12.0";
  int64_t sizes = 0;          // rows of the size rule
  int64_t sampled = 0;        // videos whose frames are sampled
  int64_t most_sampled = 0;   // largest number of sampled frames; -1: frames are not recorded
  int64_t special_bytes = 0;  // bytes of the texts of all special tokens
  int64_t specials = 0;
  int64_t space_id = 1;  // in a tokenizer with one token per printable character
  int64_t unknown_id = 0;
  std::vector<SizeTable> grids = {};
  std::vector<RawMedium> images = {}, videos = {};
  std::vector<RawPrompt> prompts = {};
};

/// The plan of the processors; `config` has theirs under "image_processor" and "video_processor". Error{unsupported}: a
/// profile without processors. Error{schema}: a wrong key, or a medium that the size rule refuses.
[[nodiscard]] Plan build_m3_processor_plan(const nlohmann::json& config, const ProcessorRequest& request);

/// Returns the rows of the grid for the images or videos of `sizes` (M, [frames,] h, w). A refused size counts as one
/// row.
[[nodiscard]] int64_t grid_rows(const nlohmann::json& config, const std::string& profile, const TensorView& sizes,
                                bool resize, int64_t most_pixels);

}  // namespace parity

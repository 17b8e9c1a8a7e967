// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The plan of M3's processors: size rule, grids, sampled frames, images, videos, prompts. No call of the model, no weights.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/plan.hpp"

namespace parity {

/// An image (one frame, recorded without that axis) or a video before its processor.
struct RawMedium {
  std::string id;  // "00"
  Shape shape;     // [T,]C,H,W
  bool resize = true;
  int64_t most_pixels = 0;  // 0: as config.json says
};

/// Sizes whose grids and tokens are recorded without pixels; what a size is refused for is the kernel's.
struct SizeTable {
  std::string id;      // "00"
  bool video = false;  // (frames, h, w), else (h, w)
  int64_t sizes = 0;
  int64_t rows = 0;  // of the grids
  bool resize = true;
  int64_t most_pixels = 0;  // 0: as config.json says
};

/// A prompt; lengths as recorded, what the text expands to is the kernel's.
struct RawPrompt {
  std::string id;
  int64_t bytes = 0, expanded = 0, tokens = 0;  // the latter two -1: not recorded
  int64_t images = 0;                           // 0: none are recorded
  int64_t videos = 0;
  std::vector<int64_t> frames = {};  // listed frames of each video; none where times are not known
  bool types = false;                // mm_token_type_ids are recorded
  int64_t video_rows = 0;            // of the videos' grid
};

struct ProcessorRequest {
  std::string profile = "hf-5.12.0";
  int64_t sizes = 0;          // rows of the size rule
  int64_t sampled = 0;        // videos whose frames are sampled
  int64_t most_sampled = 0;   // frames of one of them; -1: not recorded, and their number not known
  int64_t special_bytes = 0;  // of all special tokens' texts
  int64_t specials = 0;
  int64_t space_id = 1;  // of the tokenizer of one token per printable character
  int64_t unknown_id = 0;
  std::vector<SizeTable> grids = {};
  std::vector<RawMedium> images = {}, videos = {};
  std::vector<RawPrompt> prompts = {};
};

/// `config` holds the two processors' own under "image_processor" and "video_processor". Error{unsupported} for a profile
/// without processors, Error{schema} for a key or a medium that the size rule refuses.
[[nodiscard]] Plan build_m3_processor_plan(const nlohmann::json& config, const ProcessorRequest& request);

/// Rows of the grids of `sizes` (M, [frames,] h, w); those that are refused have one.
[[nodiscard]] int64_t grid_rows(const nlohmann::json& config, const std::string& profile, const TensorView& sizes,
                                bool resize, int64_t most_pixels);

}  // namespace parity

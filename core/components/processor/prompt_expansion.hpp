// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Prompt expansion: each media marker becomes one placeholder per feature of the tower; then the text becomes tokens.
#pragma once

#include "core/component.hpp"

namespace parity {

/// Texts are UTF-8 bytes. The k-th image marker becomes start + image x (t h w / merge^2) + end; the k-th video marker, for
/// every temporal patch f, "]<]{ts:.1f} seconds[>[" where the frames' times are known + start + video x (h w / merge^2) +
/// end (a video has video_chunks[k] rows of the grid, else one), ts = frames[min(temporal f, last)] / fps in binary64, printed with the nearest decimal of the double. ids: one
/// token per printable ASCII character (a space is space_id, others follow in order), special tokens whole, longest
/// first; unknown_id for any other character, and one for a run of line feeds. types: 1 image, 2 video, 0 else.
/// Throws Error{schema} unless the numbers of media and markers are equal.
struct PromptExpansion {
  static constexpr ComponentText text{"prompt_expansion",
                                      "marker -> start + placeholder x (patches / merge^2) + end; tokens of the result",
                                      "MiniMaxM3VLProcessor.replace_image_token, replace_video_token"};
  struct Params {
    int64_t merge = 2;
    int64_t temporal = 2;
    int64_t space_id = 1;
    int64_t unknown_id = 0;
  };
  struct Inputs {
    TensorView prompt;                                                                                      // (L) bytes
    TensorView special_text;               // bytes: image, video, start, end, with a NUL between them
    TensorView special_ids;                                                                // (4) i64, in the same order
    TensorView image_grid;                                                                       // (M, 3) i64, optional
    TensorView video_grid;                                                                       // (G, 3) i64, optional
    TensorView video_chunks;                                                                        // (M) i64, optional
    std::vector<TensorView> video_fps;     // one () per video, or none
    std::vector<TensorView> video_frames;  // one (T) i64 per video, or none
  };
  struct Outputs {
    TensorView expanded;                                                                          // (L) bytes, optional
    TensorView ids;                                                                                 // (S) i64, optional
    TensorView types;                                                                               // (S) i64, optional
  };
  struct Points {};
  static constexpr auto params() {
    return std::tuple{param("merge", &Params::merge), param("temporal", &Params::temporal),
                      param("space_id", &Params::space_id), param("unknown_id", &Params::unknown_id)};
  }
  static constexpr auto inputs() {
    return std::tuple{field("prompt", &Inputs::prompt, "L").of(Contents::letters),
                      field("special_text", &Inputs::special_text, "L").of(Contents::specials, "7"),
                      field("special_ids", &Inputs::special_ids, "4").of(Contents::tokens),
                      field("image_grid", &Inputs::image_grid, "M,3", Presence::optional),
                      field("video_grid", &Inputs::video_grid, "M,3", Presence::optional),
                      field("video_chunks", &Inputs::video_chunks, "M", Presence::optional),
                      field("video_fps", &Inputs::video_fps, "", Presence::optional),
                      field("video_frames", &Inputs::video_frames, "T", Presence::optional)};
  }
  static constexpr auto outputs() {
    return std::tuple{field("expanded", &Outputs::expanded, "L", Presence::optional, Judge::exact),
                      field("ids", &Outputs::ids, "L", Presence::optional, Judge::exact),
                      field("types", &Outputs::types, "L", Presence::optional, Judge::exact)};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Splice: features of images and videos replace the embeddings of their placeholder tokens.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[b,s,:] = image[k,:] where ids[b,s] is the k-th image token (batch major, then sequence), video[k,:] likewise,
/// x[b,s,:] elsewhere. Tokens of a kind without features keep their embedding. Only moves data. Throws Error{schema}
/// unless the numbers of placeholder tokens and features are equal.
struct Splice {
  static constexpr ComponentText text{"splice", "out[b,s,:] = feature[k,:] at the k-th placeholder, else x[b,s,:]",
                                      "MiniMaxM3VLModel.forward (masked_scatter)"};
  static constexpr Traits traits{.parallel = "H"};
  struct Params {
    int64_t image_token = 200025;
    int64_t video_token = 200026;
  };
  struct Inputs {
    TensorView x;                                                                                           // (B, S, H)
    TensorView ids;                                                                                        // (B, S) i64
    TensorView image;                                                                                // (O, H), optional
    TensorView video;                                                                                // (O, H), optional
  };
  struct Outputs {
    TensorView out;                                                                                         // (B, S, H)
  };
  struct Points {};
  static constexpr auto params() {
    return std::tuple{param("image_token", &Params::image_token, among(0)),
                      param("video_token", &Params::video_token, among(1))};
  }
  static constexpr auto inputs() {
    return std::tuple{field("x", &Inputs::x, "B,S,H"), field("ids", &Inputs::ids, "B,S").of(Contents::spliced),
                      field("image", &Inputs::image, "O,H", Presence::optional).of(Contents::values, "U,H"),
                      field("video", &Inputs::video, "O,H", Presence::optional).of(Contents::values, "W,H")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "B,S,H")}; }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity

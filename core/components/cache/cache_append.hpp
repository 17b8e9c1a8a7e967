// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Cache append: the cached keys (values, index keys) of earlier calls, followed by those of this call.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[:, :, 0..P) = past, out[:, :, P..P+S) = fresh. Only moves data, so results are bit-exact.
struct CacheAppend {
  static constexpr ComponentText text{"cache_append", "out = concat(past, fresh) along the key slots",
                                      "DynamicLayer.update"};
  static constexpr Traits traits{.parallel = "BGD"};
  struct Params {};
  struct Inputs {
    TensorView past;                                                           // (B, G, P, D); absent in the first call
    TensorView fresh;                                                                                    // (B, G, S, D)
  };
  struct Outputs {
    TensorView out;                                                                                  // (B, G, P + S, D)
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("past", &Inputs::past, "B,G,K,D", Presence::optional).of(Contents::values, "B,G,Z,D"),
                      field("fresh", &Inputs::fresh, "B,G,S,D")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "B,G,K,D")}; }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity

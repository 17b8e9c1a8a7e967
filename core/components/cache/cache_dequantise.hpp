// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// FP8 cache, the way out: e4m3 codes times the scale of their head, in the working type.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[b,g,k,d] = R(F(codes[b,g,k,d] scale[g])). Attention reads `out`, so its bounds come from the stored codes. Every
/// operation is prescribed, so results are bit-exact. Throws Error{schema} for a scale that is not positive and finite.
struct CacheDequantise {
  static constexpr ComponentText text{"cache_dequantise", "out = codes scale[g]",
                                      "fp8::scaled_convert with kv_cache_dtype fp8 (vLLM)"};
  static constexpr Traits traits{.ports_only = true, .parallel = "BGKD"};
  struct Params {};
  struct Inputs {
    TensorView codes;                                                                      // (B, G, K, D) finite or NaN
    TensorView scale;                                                                          // (G) binary32, positive
  };
  struct Outputs {
    TensorView out;                                                                                      // (B, G, K, D)
  };
  struct Points {
    Round product, out;
  };
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("codes", &Inputs::codes, "B,G,K,D").of(Contents::codes),
                      field("scale", &Inputs::scale, "G").of(Contents::scalar)};
  }
  static constexpr auto outputs() {
    return std::tuple{field("out", &Outputs::out, "B,G,K,D", Presence::required, Judge::bits)};
  }
  static constexpr auto points() {
    return std::tuple{point("product", &Points::product, Precision::single),
                      point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity

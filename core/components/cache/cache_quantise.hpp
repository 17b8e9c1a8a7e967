// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// FP8 cache, the way in: keys or values divided by the scale of their head and rounded to e4m3 codes.
#pragma once

#include "core/component.hpp"

namespace parity {

/// codes[b,g,s,d] = e4m3(F(x[b,g,s,d] / scale[g])), to nearest, ties to even. Beyond ±448 the code is ±448, also for an
/// infinity; NaN stays NaN. Division in binary32 is what vLLM does; SGLang divides in the working type, a known fault
/// of the catalogue. A code is part of the definition, not a rounding of it: its bound is 0, except where the error of
/// the division reaches a boundary between two codes. Throws Error{schema} for a scale that is not positive and finite.
struct CacheQuantise {
  static constexpr ComponentText text{"cache_quantise", "codes = e4m3(x / scale[g]), at most 448",
                                      "reshape_and_cache_flash with kv_cache_dtype fp8 (vLLM)"};
  static constexpr Traits traits{.ports_only = true, .parallel = "BGSD"};
  struct Params {};
  struct Inputs {
    TensorView x;                                                                                        // (B, G, S, D)
    TensorView scale;                                                                          // (G) binary32, positive
  };
  struct Outputs {
    TensorView codes;                                        // (B, G, S, D) numbers of e4m3; bytes in a kernel's memory
  };
  struct Points {
    Round quotient;
  };
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("x", &Inputs::x, "B,G,S,D"), field("scale", &Inputs::scale, "G").of(Contents::scalar)};
  }
  static constexpr auto outputs() { return std::tuple{field("codes", &Outputs::codes, "B,G,S,D")}; }
  static constexpr auto points() { return std::tuple{point("quotient", &Points::quotient, Precision::single)}; }
};

}  // namespace parity

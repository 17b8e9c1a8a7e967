// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Queries or keys are normed and rotated in one pass; keys can also be written into the cache.
#pragma once

#include "core/fusion.hpp"

namespace parity {

/// out = partial_rope(rms_norm(x)). The row of a head is normed and rotated while it is in registers.
struct NormRope {
  static constexpr ComponentText text{"norm_rope", "out = partial_rope(rms_norm(x), cos, sin)",
                                      "rms_norm, partial_rope"};
  struct Params {
    double eps = 1e-6;
    double gain_offset = 1.0;
  };
  struct Inputs {
    TensorView x;                                                                                    // (B, S, heads, D)
    TensorView weight;                                                                                            // (D)
    TensorView cos;                                                                                         // (B, S, R)
    TensorView sin;                                                                                         // (B, S, R)
  };
  struct Outputs {
    TensorView out;                                                                                  // (B, heads, S, D)
  };
  struct Points {};
  static constexpr auto params() {
    return std::tuple{param("eps", &Params::eps), param("gain_offset", &Params::gain_offset)};
  }
  static constexpr auto inputs() {
    return std::tuple{field("x", &Inputs::x, "B,S,A,D"), field("weight", &Inputs::weight, "D"),
                      field("cos", &Inputs::cos, "B,S,R"), field("sin", &Inputs::sin, "B,S,R")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "B,A,S,D")}; }
  static constexpr auto points() { return std::tuple{}; }
  static std::vector<FusedPart> parts() {
    return {{"rms_norm",
             {{"x", {"x", "B,S,A,D"}}, {"weight", {"weight", "D"}}},
             {{"out", {"", "B,S,A,D"}}},
             {{"eps", "eps"}, {"gain_offset", "gain_offset"}}},
            {"partial_rope",
             {{"x", {"0.out", "B,A,S,D"}}, {"cos", {"cos", "B,S,R"}}, {"sin", {"sin", "B,S,R"}}},
             {{"out", {"out", "B,A,S,D"}}}}};
  }
};

/// out = cache_append(past, partial_rope(rms_norm(x))). A key goes from its projection straight into its slot.
struct NormRopeAppend {
  static constexpr ComponentText text{"norm_rope_append",
                                      "out = cache_append(past, partial_rope(rms_norm(x), cos, sin))",
                                      "rms_norm, partial_rope, cache_append"};
  using Params = NormRope::Params;
  struct Inputs : NormRope::Inputs {
    TensorView past;                                                           // (B, G, P, D); absent in the first call
  };
  struct Outputs {
    TensorView out;                                                                                  // (B, G, P + S, D)
  };
  struct Points {};
  static constexpr auto params() { return NormRope::params(); }
  static constexpr auto inputs() {
    return std::tuple{field<Inputs, TensorView>("x", &Inputs::x, "B,S,G,D"),
                      field<Inputs, TensorView>("weight", &Inputs::weight, "D"),
                      field<Inputs, TensorView>("cos", &Inputs::cos, "B,S,R"),
                      field<Inputs, TensorView>("sin", &Inputs::sin, "B,S,R"),
                      field("past", &Inputs::past, "B,G,P,D", Presence::optional)};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "B,G,K,D")}; }
  static constexpr auto points() { return std::tuple{}; }
  static std::vector<FusedPart> parts() {
    auto chain = NormRope::parts();
    chain.back().outputs["out"].name.clear();
    chain.push_back({"cache_append",
                     {{"past", {"past", "B,A,P,D"}}, {"fresh", {"1.out", "B,A,S,D"}}},
                     {{"out", {"out", "B,A,K,D"}}}});
    return chain;
  }
};

}  // namespace parity

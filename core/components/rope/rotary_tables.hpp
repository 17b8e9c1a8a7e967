// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rotary tables: cosine and sine of position times inverse frequency, both halves.
#pragma once

#include "core/component.hpp"

namespace parity {

/// inv[j] = 1 / theta^(2j/R), j < R/2;  angle[b,s,j] = pos[b,s] inv[j];  cos[b,s,j] = cos[b,s,j+R/2] = cos(angle).
/// Frequency and angle are rounded to binary32 in every evaluation, also in binary64 recordings and exact evaluations:
/// at long context those roundings decide the value (up to 0.016 rad at position 5e5). Rounds to T once at the end.
struct RotaryTables {
  static constexpr ComponentText text{"rotary_tables", "cos, sin of F(pos F(1/theta^(2j/R))), two equal halves",
                                      "MiniMaxM3VLRotaryEmbedding"};
  static constexpr Traits traits{.parallel = "BS"};
  struct Params {
    double theta = 5e6;
    int64_t rotary_width = 0;  // R
  };
  struct Inputs {
    TensorView positions;                                                                                  // (B, S) i64
  };
  struct Outputs {
    TensorView cos;                                                                                         // (B, S, R)
    TensorView sin;                                                                                         // (B, S, R)
    TensorView uncast;                      // (B, S, R), optional: R/2 cosines, then R/2 sines, in binary32 as computed
  };
  struct Points {
    Round exponent, power, inverse, angle, table, out;
  };
  static constexpr auto params() {
    return std::tuple{param("theta", &Params::theta, among(1e4)),
                      param("rotary_width", &Params::rotary_width, extent('R'))};
  }
  static constexpr auto inputs() {
    return std::tuple{field("positions", &Inputs::positions, "B,S").of(Contents::distances)};
  }
  static constexpr auto outputs() {
    return std::tuple{field("cos", &Outputs::cos, "B,S,R"), field("sin", &Outputs::sin, "B,S,R"),
                      field("uncast", &Outputs::uncast, "B,S,R", Presence::optional)};
  }
  static constexpr auto points() {
    return std::tuple{point("exponent", &Points::exponent, Precision::binary32),
                      point("power", &Points::power, Precision::binary32),
                      point("inverse", &Points::inverse, Precision::binary32),
                      point("angle", &Points::angle, Precision::binary32),
                      point("table", &Points::table, Precision::binary32, Follows::function),
                      point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The size rule of the processors, applied to each row of a table.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[n] = smart_size(in[n] = height, width, factor, least and most pixels). Where the package raises (sides more than
/// 200 to 1), error[n] is 1 and out[n] is -1.
struct SmartResize {
  static constexpr ComponentText text{
      "smart_resize", "out = multiples of factor nearest to (h,w), ties to even, scaled into [least, most] pixels",
      "smart_resize (image_processing_minimax_m3_vl.py)"};
  struct Params {
    bool whole_side = false;  // SizeRule::whole_side
  };
  struct Inputs {
    TensorView in;                                                                                         // (N, 5) i64
  };
  struct Outputs {
    TensorView out;                                                                                        // (N, 2) i64
    TensorView error;                                                                                         // (N) i64
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{param("whole_side", &Params::whole_side)}; }
  static constexpr auto inputs() { return std::tuple{field("in", &Inputs::in, "N,5").of(Contents::sizes)}; }
  static constexpr auto outputs() {
    return std::tuple{field("out", &Outputs::out, "N,2", Presence::required, Judge::exact),
                      field("error", &Outputs::error, "N", Presence::required, Judge::exact)};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity

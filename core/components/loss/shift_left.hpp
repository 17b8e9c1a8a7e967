// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Token ids shifted by one position, for the prediction of further tokens.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[b,s] = ids[b,s+1]; the last position is `fill`, which is embedded like any other token.
struct ShiftLeft {
  static constexpr ComponentText text{"shift_left", "out[s] = ids[s+1], fill at the end",
                                      "roll_tensor of mtp.py (NeMo Automodel)"};
  static constexpr Traits traits{.parallel = "B"};
  struct Params {
    int64_t fill = 0;
  };
  struct Inputs {
    TensorView ids;                                                                                        // (B, S) i64
  };
  struct Outputs {
    TensorView out;                                                                                        // (B, S) i64
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{param("fill", &Params::fill)}; }
  static constexpr auto inputs() { return std::tuple{field("ids", &Inputs::ids, "B,S").of(Contents::tokens)}; }
  static constexpr auto outputs() {
    return std::tuple{field("out", &Outputs::out, "B,S", Presence::required, Judge::exact)};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity

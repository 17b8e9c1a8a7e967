// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Load of the experts, summed over micro-batches.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[e] = sum_i loads_i[e].
struct LoadSum {
  static constexpr ComponentText text{"load_sum", "out[e] = sum_i loads_i[e]",
                                      "Gate._cumulative_expert_load (NeMo Automodel)"};
  struct Params {};
  struct Inputs {
    std::vector<TensorView> loads;                                                                       // (E) i64 each
  };
  struct Outputs {
    TensorView out;                                                                                           // (E) i64
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() { return std::tuple{field("loads", &Inputs::loads, "E").of(Contents::mask)}; }
  static constexpr auto outputs() {
    return std::tuple{field("out", &Outputs::out, "E", Presence::required, Judge::exact)};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity

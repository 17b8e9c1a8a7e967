// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Local ids of the experts that one expert-parallel rank owns.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[n,t] = indices[n,t] - first if that expert is one of the rank's `count` experts, else `count`: no expert of the
/// rank.
struct LocalExperts {
  static constexpr ComponentText text{"local_experts", "out = indices - first if it is in [0, count), else count",
                                      "AllReduceEP, RouterParallel (transformers)"};
  static constexpr Traits traits{.parallel = "NT"};
  struct Params {
    int64_t first = 0;  // id of the rank's first expert
    int64_t count = 1;  // number of its experts
  };
  struct Inputs {
    TensorView indices;                                                                                    // (N, T) i64
  };
  struct Outputs {
    TensorView out;                                                                                        // (N, T) i64
  };
  struct Points {};
  static constexpr auto params() {
    return std::tuple{param("first", &Params::first, among(0, 1)), param("count", &Params::count, among(1, 2))};
  }
  static constexpr auto inputs() { return std::tuple{field("indices", &Inputs::indices, "N,T").of(Contents::experts)}; }
  static constexpr auto outputs() {
    return std::tuple{field("out", &Outputs::out, "N,T", Presence::required, Judge::exact)};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Combine: the outputs of experts on all ranks, returned to the rank of their token and added.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[n] = sum_r parts_r[m], m = first_row + n, over the ranks r that have an expert of token m: those with r = floor(
/// indices[m,t] / count) for some t. Ranks are added once each, in ascending order, in binary32; the sum is rounded to T
/// once. Other rows of the parts are not sent, and must not be read. The experts' weights are in the parts already. Ids of
/// experts that no part has add nothing. `indices` has as many rows as each part; rows outside of them are refused.
struct Combine {
  static constexpr ComponentText text{"combine", "out[n] = sum_r parts_r[first_row + n] over ranks with its experts",
                                      "Buffer.combine (DeepEP)"};
  static constexpr Traits traits{.sent = SentRows::returned, .adds = true};
  struct Params {
    int64_t first_row = 0;  // of the rank's tokens
    int64_t count = 1;      // number of experts of each rank
  };
  struct Inputs {
    std::vector<TensorView> parts;  // R x (N, H)
    TensorView indices;                                                                                    // (N, T) i64
  };
  struct Outputs {
    TensorView out;                                                                                            // (L, H)
  };
  struct Points {
    Round sum, out;
  };
  static constexpr auto params() {
    return std::tuple{param("first_row", &Params::first_row, among(0, 1)), param("count", &Params::count, among(1, 2))};
  }
  static constexpr auto inputs() {
    return std::tuple{field("parts", &Inputs::parts, "N,H").of(Contents::values, "2S,H"),
                      field("indices", &Inputs::indices, "N,T").of(Contents::experts, "2S,T")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "N,H").of(Contents::values, "S,H")}; }
  static constexpr auto points() {
    return std::tuple{point("sum", &Points::sum, Precision::single), point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity

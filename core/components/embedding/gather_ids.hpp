// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Gather of integers: the decisions and flags of several processes, joined along one axis.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[b,i] = row first_slot + i of the rows of parts_0[b], then those of parts_1[b], and so on; 0 where there is none.
struct GatherIds {
  static constexpr ComponentText text{"gather_ids", "out = rows of parts_0, parts_1, ...",
                                      "all_gather in GroupedExperts (NeMo Automodel)"};
  struct Params {
    int64_t first_slot = 0;
  };
  struct Inputs {
    std::vector<TensorView> parts;  // R x (B, S, T) i64
  };
  struct Outputs {
    TensorView out;                                                                                  // (B, rows, T) i64
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{param("first_slot", &Params::first_slot, among(0, 1))}; }
  static constexpr auto inputs() { return std::tuple{field("parts", &Inputs::parts, "B,S,T").of(Contents::experts)}; }
  static constexpr auto outputs() {
    return std::tuple{
        field("out", &Outputs::out, "B,S,T", Presence::required, Judge::exact).of(Contents::values, "B,2S,T")};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity

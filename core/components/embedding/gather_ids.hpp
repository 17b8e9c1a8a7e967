// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Gather of integers: the decisions and flags of several processes, concatenated by rows.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[i] = row first_slot + i of the rows of parts_0, then those of parts_1, and so on; 0 where there is no such row.
struct GatherIds {
  static constexpr ComponentText text{"gather_ids", "out = rows of parts_0, parts_1, ...",
                                      "all_gather in GroupedExperts (NeMo Automodel)"};
  struct Params {
    int64_t first_slot = 0;
  };
  struct Inputs {
    std::vector<TensorView> parts;  // R x (N, T) i64
  };
  struct Outputs {
    TensorView out;  // (rows, T) i64
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{param("first_slot", &Params::first_slot, among(0, 1))}; }
  static constexpr auto inputs() { return std::tuple{field("parts", &Inputs::parts, "N,T").of(Contents::experts)}; }
  static constexpr auto outputs() {
    return std::tuple{
        field("out", &Outputs::out, "N,T", Presence::required, Judge::exact).of(Contents::values, "2BS,T")};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity

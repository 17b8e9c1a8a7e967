// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Gather of integers: the decisions and flags of several processes, concatenated by rows.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out = the rows of parts_0, then those of parts_1, and so on.
struct GatherIds {
  static constexpr ComponentText text{"gather_ids", "out = rows of parts_0, parts_1, ...",
                                      "all_gather in GroupedExperts (NeMo Automodel)"};
  struct Params {};
  struct Inputs {
    std::vector<TensorView> parts;  // R x (N, T) i64
  };
  struct Outputs {
    TensorView out;                                                                                    // (R * N, T) i64
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() { return std::tuple{field("parts", &Inputs::parts, "N,T").of(Contents::experts)}; }
  static constexpr auto outputs() {
    return std::tuple{
        field("out", &Outputs::out, "N,T", Presence::required, Judge::exact).of(Contents::values, "2BS,T")};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity

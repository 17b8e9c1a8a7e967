// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Gather: the shares of several processes joined into one tensor.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[b,g,slots_r[s] - first_slot,d] = parts_r[b,g,s,d]. Without `slots`, the rows of the parts are concatenated.
/// Output rows that no slot names are 0; parts' rows whose slot is outside of the output (padding) are dropped.
struct Gather {
  static constexpr ComponentText text{
      "gather", "out[slots_r[s] - first] = parts_r[s]",
      "all_gather and reordering of cp_sparse_attn.py, GroupedExperts (NeMo Automodel)"};
  struct Params {
    int64_t first_slot = 0;
  };
  struct Inputs {
    std::vector<TensorView> parts;  // R x (B, G, S, D)
    std::vector<TensorView> slots;  // R x (S) i64, optional
  };
  struct Outputs {
    TensorView out;                                                                                      // (B, G, K, D)
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{param("first_slot", &Params::first_slot, among(0, 1))}; }
  static constexpr auto inputs() {
    return std::tuple{field("parts", &Inputs::parts, "B,G,S,D"),
                      field("slots", &Inputs::slots, "S", Presence::optional).of(Contents::places)};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "B,G,K,D")}; }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity

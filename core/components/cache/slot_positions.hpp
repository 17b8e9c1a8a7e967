// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Slots of the tokens in a call without a cache; they do not depend on the position ids.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[b,s] = s, or slots[s] where `slots` is given.
struct SlotPositions {
  static constexpr ComponentText text{"slot_positions", "out[b,s] = s, or slots[s]",
                                      "torch.arange in MiniMaxM3 Model.forward (NeMo Automodel)"};
  static constexpr Traits traits{.parallel = "B"};
  struct Params {};
  struct Inputs {
    TensorView slots;                              // (S) i64, optional: of a process that holds a share of the sequence
    TensorView ids;                                                                         // (B, S) i64, for its shape
  };
  struct Outputs {
    TensorView out;                                                                                        // (B, S) i64
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("slots", &Inputs::slots, "S", Presence::optional).of(Contents::tokens),
                      field("ids", &Inputs::ids, "B,S").of(Contents::tokens)};
  }
  static constexpr auto outputs() {
    return std::tuple{field("out", &Outputs::out, "B,S", Presence::required, Judge::exact)};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity

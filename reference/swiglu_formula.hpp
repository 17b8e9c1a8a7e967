// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The SwiGLU-OAI formula, shared by the dense activation and the routed experts.
#pragma once

#include "core/rounding.hpp"

namespace parity::reference {

/// (clamp(up, -limit, limit) + 1) (g sigmoid(alpha g)), g = min(gate, limit), before the rounding of the result.
/// `Points` names the roundings after alpha g, the sigmoid, its product with g and u + 1.
template <class Num, class Points>
Num swiglu_formula(const Num& gate, const Num& up, double alpha, double limit, const Points& round) {
  const Num g = at_most(gate, limit);
  const Num u = at_least(at_most(up, limit), -limit);
  const Num sigmoid = round.sigmoid(logistic(round.scaled(g * round.constant(Num(alpha)))));
  return round.shifted(u + Num(1.0)) * round.gated(g * sigmoid);
}

}  // namespace parity::reference

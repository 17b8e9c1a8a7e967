// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The SwiGLU-OAI formula, shared by the dense activation and the routed experts.
#pragma once

#include "core/rounding.hpp"

namespace parity::reference {

/// (clamp(up, -limit, limit) + 1) (g sigmoid(alpha g)), g = min(gate, limit), before the rounding of the result.
/// `Points` names the roundings of the limit (a clamp compares in the tensor's type) and after alpha g, the sigmoid, its product with g and u + 1.
template <class Num, class Points>
Num swiglu_formula(const Num& gate, const Num& up, double alpha, double limit, const Points& round) {
  const Num bound = constant<Num>(limit, round.limit);
  const Num g = at_most(gate, bound);
  const Num u = at_least(at_most(up, bound), -bound);
  const Num sigmoid = round.sigmoid(logistic(round.scaled(g * round.constant(Num(alpha)))));
  return round.shifted(u + Num(1.0)) * round.gated(g * sigmoid);
}

}  // namespace parity::reference

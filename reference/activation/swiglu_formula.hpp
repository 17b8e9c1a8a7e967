// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The gated activation, shared by the dense MLP and the routed experts.
#pragma once

#include "core/rounding.hpp"
#include "reference/activation/rounded_logistic.hpp"

namespace parity::reference {

/// (clamp(up, -limit, limit) + linear_offset) (g sigmoid(alpha g)), g = min(gate, limit), before the rounding of the
/// result. `Points` has the roundings of the limit (a clamp compares in the tensor's type), of alpha g, of the sigmoid,
/// of its product with g, and of the shifted linear half.
template <class Num, class Params, class Points>
Num swiglu_formula(const Num& gate, const Num& up, const Params& params, const Points& round) {
  const Num bound = constant<Num>(params.limit, round.limit);
  const Num g = at_most(gate, bound);
  const Num u = at_least(at_most(up, bound), -bound);
  const Num sigmoid = round.sigmoid(rounded_logistic(round.scaled(g * round.constant(Num(params.alpha))), round));
  return round.shifted(u + Num(params.linear_offset)) * round.gated(g * sigmoid);
}

}  // namespace parity::reference

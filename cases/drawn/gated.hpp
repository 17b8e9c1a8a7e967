// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The gate that swiglu and the experts share.
#pragma once

#include <algorithm>

#include "cases/drawn/kernels.hpp"

namespace parity::cases {

/// Returns the gated value before its last rounding.
template <class Params, class Points>
float gated(float gate, float up, const Params& params, const Points& round, const Arithmetic& math) {
  const float limit = at(round.limit, static_cast<float>(params.limit));
  gate = std::min(gate, limit);
  up = std::clamp(up, -limit, limit);
  const float sigmoid = at(round.sigmoid, math.logistic(at(round.scaled, gate * static_cast<float>(params.alpha))));
  return at(round.shifted, up + static_cast<float>(params.linear_offset)) * at(round.gated, gate * sigmoid);
}

}  // namespace parity::cases

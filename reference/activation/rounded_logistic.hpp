// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The logistic function with the rounding points of implementations: most round no part of it, some its exponential.
#pragma once

#include "core/rounding.hpp"

namespace parity::reference {

/// 1 / (1 + e^-x). The point `exponential` rounds e^-x. The point `mirrored_exponential` rounds e^|x| in y = 1 / (1 +
/// e^|x|); the result is then y for negative x and 1 - y otherwise.
template <class Num, class Points>
Num rounded_logistic(const Num& x, const Points& round) {
  if (round.mirrored_exponential.precision != Precision::exact) {
    const bool negative = value_of(x) < 0.0;
    const Num y = Num(1.0) / (Num(1.0) + round.mirrored_exponential(exponential(negative ? -x : x)));
    return negative ? y : Num(1.0) + -y;
  }
  if (round.exponential.precision != Precision::exact)
    return Num(1.0) / (Num(1.0) + round.exponential(exponential(-x)));
  return logistic(x);
}

}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// a b + c as the inner loops of a level compute it: with one rounding, or they run at half their speed.
#pragma once

#include <cstdint>

#include "optimized/cpu/level.hpp"

namespace parity::cpu {

/// out[i] = a[i] * b[i] + c[i] for 16 numbers.
struct MultiplyAdd {
  const float *a, *b, *c;
  float* out;
};
PARITY_CPU_FUNCTION(multiply_add, MultiplyAdd)

}  // namespace parity::cpu

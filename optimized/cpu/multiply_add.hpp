// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Computes a b + c as the inner loops of a level do: with one rounding, since two operations would halve their speed.
#pragma once

#include <cstdint>

#include "optimized/cpu/level.hpp"

namespace parity::cpu {

/// Computes out[i] = a[i] * b[i] + c[i] for 16 numbers.
struct MultiplyAdd {
  const float *a, *b, *c;
  float* out;
};
PARITY_CPU_FUNCTION(multiply_add, MultiplyAdd)

}  // namespace parity::cpu

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Matrices whose element type is known when a kernel is started.
#pragma once

#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

enum class Element : int32_t { f32, bf16, f16, e4m3fn, u8, i64 };

/// `vectors`: rows begin at multiples of 16 bytes and their channels are neighbours.
struct Rows {
  Operand<2> at;
  Element element;
  int32_t vectors;
};

}  // namespace parity::optimized::cuda

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "optimized/cpu/level.hpp"

namespace parity::cpu {

/// Rows [first, last) of a function of single elements. Each row is contiguous.
template <class T>
struct ElementRows {
  const T* a;                                                                                                  // (N, H)
  const T* b;                                                                         // (N, H), or null for one operand
  T* out;                                                                                                      // (N, H)
  int64_t first, last, width, a_stride, b_stride, out_stride;
  float first_factor = 1.0F, second_factor = 1.0F;  // residual_add
  float alpha = 1.0F, limit = 0.0F, offset = 0.0F;  // swiglu: a is the gate, b the linear half
  bool rounds = false;                              // rounds to T after every operation
};

}  // namespace parity::cpu

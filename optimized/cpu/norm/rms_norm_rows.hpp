// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "optimized/cpu/level.hpp"

namespace parity::cpu {

/// Computes rows [first, last) of x (N, H) -> out (N, H), both contiguous in H.
template <class T>
struct RmsNormRows {
  const T* x;
  const T* weight;                                                                                                // (H)
  T* out;
  int64_t first, last, width, x_stride, out_stride;
  float eps, gain_offset;
};

PARITY_CPU_FUNCTION(rms_norm_f32, RmsNormRows<float>)
PARITY_CPU_FUNCTION(rms_norm_bf16, RmsNormRows<BFloat16>)

/// Computes rows [first, last) of residual + branch -> sum, and the norm of the sum -> out; all are (N, H).
template <class T>
struct AddNormRows {
  const T* residual;
  const T* branch;
  const T* weight;                                                                                                // (H)
  T* sum;
  T* out;
  int64_t first, last, width, residual_stride, branch_stride, sum_stride, out_stride;
  float eps, gain_offset;
};

PARITY_CPU_FUNCTION(add_norm_f32, AddNormRows<float>)
PARITY_CPU_FUNCTION(add_norm_bf16, AddNormRows<BFloat16>)

}  // namespace parity::cpu

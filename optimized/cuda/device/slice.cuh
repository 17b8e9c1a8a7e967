// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Parts of operands of many axes.
#pragma once

#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

/// What an operand of T holds at place `i` of its first axis.
template <class T, int rank>
__device__ Operand<rank - 1> slice(const Operand<rank>& operand, int64_t i) {
  Operand<rank - 1> result;
  result.data = static_cast<T*>(operand.data) + i * operand.stride[0];
#pragma unroll
  for (int axis = 1; axis < rank; ++axis) result.stride[axis - 1] = operand.stride[axis];
  return result;
}

}  // namespace parity::optimized::cuda

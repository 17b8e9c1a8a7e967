// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The bias, which is the last term of a sum.
#pragma once

#include "optimized/cuda/device/any.cuh"
#include "optimized/cuda/linear/product_operands.hpp"

namespace parity::optimized::cuda {

__device__ inline float biased(const ProductOperands& p, int64_t f, float sum) {
  return p.bias.at.data == nullptr ? sum : sum + load_any(p.bias, 0, f);
}

}  // namespace parity::optimized::cuda

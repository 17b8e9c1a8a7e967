// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// linear of many tokens, as linear_sm90.cu is given it.
#pragma once

#include "optimized/cuda/group_block.hpp"
#include "optimized/cuda/linear/product_operands.hpp"
#include "optimized/cuda/tensor_map.hpp"

namespace parity::optimized::cuda {

struct LinearSm90Parameters {
  TensorMap x, weight;  // boxes of 64 channels: of a tile's rows
  ProductOperands product;
};

}  // namespace parity::optimized::cuda

#ifndef __CUDACC__

#include "core/registry.hpp"

namespace parity::optimized::cuda {

/// Whether the place runs these kernels and they took the call: bf16, more than 64 tokens, rows that begin at multiples of
/// 16 bytes. Then the pieces of `product` are left to be added up; otherwise nothing was started.
[[nodiscard]] bool start_linear_sm90(ProductOperands& product, const Rows& weight, const Context& context);

}  // namespace parity::optimized::cuda

#endif

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tensors as the matrices that kernels read.
#pragma once

#include "core/tensor.hpp"
#include "optimized/cuda/rows.hpp"

namespace parity::optimized::cuda {

/// Throws Error{unsupported} for a type that no kernel reads.
[[nodiscard]] Element element_of(DType type);
/// The tensor as a matrix: all axes but the last become one. Throws Error{internal} if that needs a copy.
[[nodiscard]] Rows rows_of(const TensorView& view);
/// A list of numbers, as a matrix of one row.
[[nodiscard]] Rows list_of(const TensorView& view);

}  // namespace parity::optimized::cuda

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Operands as a CUDA kernel is given them: plain data that nvcc and the C++ compiler lay out alike.
#pragma once

#include <cstdint>

namespace parity::optimized::cuda {

/// The address of the first element, and strides in elements.
template <int rank>
struct Operand {
  void* data;
  int64_t stride[rank];
};

}  // namespace parity::optimized::cuda

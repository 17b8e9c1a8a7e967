// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// All kernels of optimized/cuda/: what runs PTX registers the same ones.
#pragma once

#include "optimized/backends.hpp"

namespace parity::optimized::cuda {

void add_kernels(BackendKernels& kernels);

}  // namespace parity::optimized::cuda

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// D = A B + C by aligned sums, eight columns at once.
#pragma once

#include "optimized/ptx/matrix/aligned_sum.hpp"

namespace parity::ptx {

/// All row-major, n a multiple of 8; d may be c. Needs a NearestEnvironment.
void multiply_aligned(int m, int n, int k, const float* a, const float* b, const float* c, float* d,
                      const AlignedSum& how);

}  // namespace parity::ptx

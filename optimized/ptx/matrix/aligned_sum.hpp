// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A sum in which terms are shifted to the largest exponent and cut off: what measurements of tensor cores show.
#pragma once

#include "optimized/ptx/matrix/product.hpp"

namespace parity::ptx {

/// start + the k products of a row of A and a column of B (stride n), in groups as `how` says. The exponent of a
/// product is the sum of its operands' exponents: its significand may have two bits before the point. Each group, with
/// the sum so far, gives a f32 rounded towards zero.
[[nodiscard]] float aligned_sum(int n, int k, const float* a_row, const float* b_column, float start,
                                const Summation& how);

}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "optimized/cpu/level.hpp"

namespace parity::cpu {

/// Rows [first, last) in the order (head, token). Channels i and i + half turn by a token's angles; others are copied.
template <class T, class Table>
struct RopeRows {
  const T* x;                                                                                               // (A, S, D)
  const Table* cos;                                                                                            // (S, R)
  const Table* sin;                                                                                            // (S, R)
  T* out;                                                                                                   // (A, S, D)
  int64_t first, last, tokens, width, half;
  int64_t x_head, x_token, out_head, out_token, cos_token, sin_token;  // strides
};

using RopeSingle = RopeRows<float, float>;
using RopeHalf = RopeRows<BFloat16, BFloat16>;
using RopeMixed = RopeRows<BFloat16, float>;
PARITY_CPU_FUNCTION(partial_rope_f32, RopeSingle)
PARITY_CPU_FUNCTION(partial_rope_bf16, RopeHalf)
PARITY_CPU_FUNCTION(partial_rope_mixed, RopeMixed)

/// Norms each row and then turns it as RopeRows does. Rows are in the order (token, head).
template <class T, class Table>
struct NormRopeRows {
  RopeRows<T, Table> rope;
  const T* weight;                                                                                                // (D)
  int64_t heads;
  float eps, gain_offset;
};

using NormRopeSingle = NormRopeRows<float, float>;
using NormRopeHalf = NormRopeRows<BFloat16, BFloat16>;
using NormRopeMixed = NormRopeRows<BFloat16, float>;
PARITY_CPU_FUNCTION(norm_rope_f32, NormRopeSingle)
PARITY_CPU_FUNCTION(norm_rope_bf16, NormRopeHalf)
PARITY_CPU_FUNCTION(norm_rope_mixed, NormRopeMixed)

}  // namespace parity::cpu

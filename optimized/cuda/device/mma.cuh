// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The matrix instructions for 16-bit operands: a warp multiplies 16 x 16 by 16 x 8 and adds in binary32.
#pragma once

#include <cstdint>

namespace parity::optimized::cuda {

/// Both rounded to BF16, `low` in the lower half.
__device__ inline uint32_t packed(float low, float high) {
  uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

/// Four matrices of 8 rows of 16 bytes; lanes 8 i to 8 i + 7 give the rows' addresses of matrix i, `part`[i] is of it.
__device__ inline void load_matrices(uint32_t (&part)[4], uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
               : "r"(row)
               : "memory");
}

/// sum (16, 8) += a (16, 16) b (16, 8) of bf16. Lane l holds of `sum` the rows l / 4 and l / 4 + 8, columns 2 (l % 4) and the
/// next: [0] and [1] of the upper row, [2] and [3] of the lower.
__device__ inline void multiply_add(float (&sum)[4], const uint32_t (&a)[4], uint32_t b_low, uint32_t b_high) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
}

}  // namespace parity::optimized::cuda

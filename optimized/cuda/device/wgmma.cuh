// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The matrix instructions of a warpgroup, four warps, for compute capability 9.0: bf16 operands in shared memory as boxes
// with the 128-byte swizzle, sums in binary32. Warp w of the group holds rows 16 w to 16 w + 15 as multiply_add() of
// mma.cuh lays them out.
#pragma once

#include "optimized/cuda/group_block.hpp"

namespace parity::optimized::cuda {

constexpr int kGroupRows = 64, kGroupDepth = 16;

/// An operand in shared memory whose channels are neighbours: eight rows of a box are 1024 bytes. 32, 64 and 96 bytes on
/// are the next 16 channels of its rows.
__device__ inline uint64_t rows_operand(uint32_t address) {
  constexpr uint64_t swizzled = uint64_t{1} << 62U, eight_rows = uint64_t{1024 / 16} << 32U,
                     leading = uint64_t{1} << 16U;
  return swizzled | eight_rows | leading | (address & 0x3FFFFU) >> 4U;
}
/// The same boxes read with rows as channels; `apart`: bytes from 64 columns to the next 64. 16 rows on are 2048 bytes.
__device__ inline uint64_t columns_operand(uint32_t address, uint32_t apart) {
  constexpr uint64_t swizzled = uint64_t{1} << 62U, eight_rows = uint64_t{1024 / 16} << 32U;
  return swizzled | eight_rows | uint64_t{apart / 16} << 16U | (address & 0x3FFFFU) >> 4U;
}

/// The operand that lies `bytes` further on.
__device__ inline uint64_t further(uint64_t operand, uint32_t bytes) { return operand + bytes / 16; }

/// Before the first product, and where registers of one were touched since.
__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void end_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Until at most `most` of the ended groups are under way.
template <int most>
__device__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(most) : "memory");
}

/// Where the compiler must not move what reads or writes these registers: around products, which it takes for done.
template <int size>
__device__ void hold(float (&sums)[size][4]) {
#pragma unroll
  for (int j = 0; j < size; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) asm volatile("" : "+f"(sums[j][i])::"memory");
  }
}

// clang-format off
#define PARITY_SUMS_4(s, j) "+f"(s[j][0]), "+f"(s[j][1]), "+f"(s[j][2]), "+f"(s[j][3])
#define PARITY_SUMS_16(s, j) PARITY_SUMS_4(s, j), PARITY_SUMS_4(s, (j) + 1), PARITY_SUMS_4(s, (j) + 2), PARITY_SUMS_4(s, (j) + 3)
#define PARITY_SUMS_32(s, j) PARITY_SUMS_16(s, j), PARITY_SUMS_16(s, (j) + 4)
#define PARITY_SUMS_64(s, j) PARITY_SUMS_32(s, j), PARITY_SUMS_32(s, (j) + 8)
#define PARITY_SUMS_128(s, j) PARITY_SUMS_64(s, j), PARITY_SUMS_64(s, (j) + 16)
#define PARITY_TEN(t) "%" t "0, %" t "1, %" t "2, %" t "3, %" t "4, %" t "5, %" t "6, %" t "7, %" t "8, %" t "9, "
#define PARITY_NAMES_32 PARITY_TEN("") PARITY_TEN("1") PARITY_TEN("2") "%30, %31"
#define PARITY_NAMES_64 PARITY_TEN("") PARITY_TEN("1") PARITY_TEN("2") PARITY_TEN("3") PARITY_TEN("4") PARITY_TEN("5") "%60, %61, %62, %63"
#define PARITY_NAMES_128                                                                                       \
  PARITY_TEN("") PARITY_TEN("1") PARITY_TEN("2") PARITY_TEN("3") PARITY_TEN("4") PARITY_TEN("5") PARITY_TEN("6") \
  PARITY_TEN("7") PARITY_TEN("8") PARITY_TEN("9") PARITY_TEN("10") PARITY_TEN("11")                            \
  "%120, %121, %122, %123, %124, %125, %126, %127"
// clang-format on

/// sums (64, columns) = a (64, 16) b (columns, 16)^T, plus what they were if `adds`.
#define PARITY_MULTIPLY_ROWS(columns, count, a_at, b_at, adds_at)                                             \
  __device__ inline void multiply_rows(float(&sums)[(columns) / 8][4], uint64_t a, uint64_t b, bool adds) {   \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %" adds_at ", 0; wgmma.mma_async.sync.aligned.m64n" #columns \
                 "k16.f32.bf16.bf16 {" PARITY_NAMES_##count "}, %" a_at ", %" b_at ", p, 1, 1, 0, 0; }"       \
                 : PARITY_SUMS_##count(sums, 0)                                                               \
                 : "l"(a), "l"(b), "r"(static_cast<uint32_t>(adds)));                                         \
  }
PARITY_MULTIPLY_ROWS(64, 32, "32", "33", "34")
PARITY_MULTIPLY_ROWS(128, 64, "64", "65", "66")
PARITY_MULTIPLY_ROWS(256, 128, "128", "129", "130")
#undef PARITY_MULTIPLY_ROWS

/// sums (64, columns) += a (64, 16) b (16, columns), `a` as in multiply_add(), `b` a columns_operand().
#define PARITY_ADD_COLUMNS(columns, count, a0, a1, a2, a3, b_at, adds_at)                                     \
  __device__ inline void add_columns(float(&sums)[(columns) / 8][4], const uint32_t(&a)[4], uint64_t b) {     \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %" adds_at ", 0; wgmma.mma_async.sync.aligned.m64n" #columns \
                 "k16.f32.bf16.bf16 {" PARITY_NAMES_##count "}, {%" a0 ", %" a1 ", %" a2 ", %" a3 "}, %" b_at \
                                                            ", p, 1, 1, 1; }"                                 \
                 : PARITY_SUMS_##count(sums, 0)                                                               \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1));                               \
  }
PARITY_ADD_COLUMNS(64, 32, "32", "33", "34", "35", "36", "37")
PARITY_ADD_COLUMNS(128, 64, "64", "65", "66", "67", "68", "69")
#undef PARITY_ADD_COLUMNS

}  // namespace parity::optimized::cuda

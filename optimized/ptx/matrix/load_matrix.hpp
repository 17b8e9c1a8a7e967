// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// ldmatrix, stmatrix and movmatrix: which byte of which row a lane's register holds. PTX ISA 9.7.14.5.15 to
// 9.7.14.5.17. A row is 16 bytes at an address that a lane gives.
#pragma once

#include "optimized/ptx/matrix/fragment.hpp"

namespace parity::ptx {

/// Where an element lies: `lane` gives the address of its row, `byte` is its offset there.
struct RowByte {
  int lane = 0, byte = 0;
  friend bool operator==(const RowByte&, const RowByte&) = default;
};

/// .m8n8.b16: half `element` (0, 1) of register `number`, which is the number of the matrix. Lanes 8 i to 8 i + 7 give
/// the rows of matrix i. Of ldmatrix and stmatrix.
[[nodiscard]] constexpr RowByte row_byte_b16(bool transposed, int lane, int number, int element) {
  const int along = lane % 4 * 2 + element;
  const int row = transposed ? along : lane / 4;
  const int column = transposed ? lane / 4 : along;
  return {8 * number + row, 2 * column};
}

/// stmatrix.m16n8.trans.b8: byte `element` (0 to 3) of register `number`. Rows in memory are columns of the matrix,
/// whose fragment is that of a m16n8 accumulator. CUTLASS, copy_traits_sm100.hpp, SM100_U8x4_STSM_T.
[[nodiscard]] constexpr RowByte stored_row_byte_b8(int lane, int number, int element) {
  return {8 * number + lane % 4 * 2 + element % 2, lane / 4 + 8 * (element / 2)};
}

/// ldmatrix.m16n16.trans.b8: byte `element` of register `number`; two registers for each matrix, whose 16 rows lanes
/// 16 i to 16 i + 15 give. CUTLASS, copy_traits_sm100.hpp, SM100_U8x8_LDSM_T.
[[nodiscard]] constexpr RowByte loaded_row_byte_b8(int lane, int number, int element) {
  return {16 * (number / 2) + lane % 4 * 4 + number % 2 * 2 + element % 2, lane / 4 + 8 * (element / 2)};
}

/// movmatrix.m8n8.trans.b16: half `element` of a lane's result is half `element` of another lane's operand.
struct LaneHalf {
  int lane = 0, element = 0;
  friend bool operator==(const LaneHalf&, const LaneHalf&) = default;
};
[[nodiscard]] constexpr LaneHalf moved_half(int lane, int element) {
  const int row = lane % 4 * 2 + element;
  const int column = lane / 4;
  return {row * 4 + column / 2, column % 2};
}

}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// mma.m8n8k4 of f16: four products at once, each held by eight lanes. PTX ISA 9.7.14.5.1.
#pragma once

#include "optimized/ptx/matrix/fragment.hpp"

namespace parity::ptx {

/// Which of the four products a lane takes part in: lanes 0 to 3 and 16 to 19 compute the first.
[[nodiscard]] constexpr int quad_product(int lane) { return lane % 16 / 4; }

/// Element 0 to 3 of A (8, 4); `row_major`: .row.
[[nodiscard]] constexpr MatrixPosition quad_position_a(bool row_major, int lane, int element) {
  const int half = lane < 16 ? 0 : 4;
  return row_major ? MatrixPosition{lane % 4 + half, element} : MatrixPosition{element + half, lane % 4};
}

/// Element 0 to 3 of B (4, 8).
[[nodiscard]] constexpr MatrixPosition quad_position_b(bool row_major, int lane, int element) {
  const int half = lane < 16 ? 0 : 4;
  return row_major ? MatrixPosition{lane % 4, element + half} : MatrixPosition{element, lane % 4 + half};
}

/// Element 0 to 7 of C or D (8, 8): of f16 a row, of f32 two by two.
[[nodiscard]] constexpr MatrixPosition quad_position_c(MatrixType type, int lane, int element) {
  const int half = lane < 16 ? 0 : 4;
  if (type == MatrixType::f16) return {lane % 4 + half, element};
  return {lane % 2 + (element & 2) + half, (element & 4) + (lane & 2) + element % 2};
}

}  // namespace parity::ptx

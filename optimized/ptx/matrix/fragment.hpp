// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which element of a matrix a lane's register holds, in mma.sync: PTX ISA 9.7.14.5.2 to 9.7.14.5.13. All shapes follow
// one rule: a lane is (group, thread) = (lane / 4, lane % 4), a register of A and B holds neighbours along k. m8n8k4 of
// f16 is another instruction: matrix/quad_fragment.hpp.
#pragma once

#include "optimized/ptx/matrix/types.hpp"

namespace parity::ptx {

/// The position of an element: (m, k) in A, (k, n) in B, (m, n) in C and D.
struct MatrixPosition {
  int row = 0, column = 0;
  friend bool operator==(const MatrixPosition&, const MatrixPosition&) = default;
};

/// D (m, n) = A (m, k) B (k, n) + C (m, n).
struct MmaShape {
  int m = 0, n = 0, k = 0;
  friend bool operator==(const MmaShape&, const MmaShape&) = default;
};

/// A lane's share of a matrix that a warp holds.
struct MatrixFragment {
  int registers = 0;
  int elements = 1;  // of each register, from its low bits up
};

[[nodiscard]] constexpr MatrixFragment fragment_of(int rows, int columns, MatrixType type) {
  const int elements = elements_per_register(type);
  return {rows * columns / 32 / elements, elements};
}
[[nodiscard]] constexpr MatrixFragment fragment_a(const MmaShape& shape, MatrixType type) {
  return fragment_of(shape.m, shape.k, type);
}
[[nodiscard]] constexpr MatrixFragment fragment_b(const MmaShape& shape, MatrixType type) {
  return fragment_of(shape.k, shape.n, type);
}
/// The fragment of C and D, of type f16, f32, f64 or s32.
[[nodiscard]] constexpr MatrixFragment fragment_c(const MmaShape& shape, MatrixType type) {
  return fragment_of(shape.m, shape.n, type);
}

/// Element `element` of register `number` of `lane`, in A. With 16 rows registers alternate between row group and group
/// + 8.
[[nodiscard]] constexpr MatrixPosition position_a(const MmaShape& shape, MatrixType type, int lane, int number,
                                                  int element) {
  const int width = elements_per_register(type);
  const int block = shape.m == 16 ? number / 2 : number;
  const int row = lane / 4 + (shape.m == 16 ? 8 * (number % 2) : 0);
  return {row, lane % 4 * width + element + 4 * width * block};
}

/// The position in B: row is k, column is n.
[[nodiscard]] constexpr MatrixPosition position_b(MatrixType type, int lane, int number, int element) {
  const int width = elements_per_register(type);
  return {lane % 4 * width + element + 4 * width * number, lane / 4};
}

/// The position in C and D: registers hold pairs of neighbours, first of row `group`, then of row `group` + 8.
[[nodiscard]] constexpr MatrixPosition position_c(MatrixType type, int lane, int number, int element) {
  const int index = number * elements_per_register(type) + element;
  return {lane / 4 + 8 * (index / 2), lane % 4 * 2 + index % 2};
}

}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which element of a matrix a lane's register holds, in wmma. PTX ISA 9.7.14.4.1 leaves it open; here the lanes share out
// a matrix row by row. What the ISA states is kept: how many registers there are, and that elements of f16 are repeated.
#pragma once

#include <cstddef>

#include "optimized/ptx/matrix/fragment.hpp"

namespace parity::ptx {

/// A matrix that a warp holds for wmma: of A (m, k), of B (k, n), of C and D (m, n).
struct WmmaMatrix {
  int rows = 0, columns = 0;
  MatrixType type = MatrixType::f16;

  /// That a lane holds, each counted once: neighbours in a row where it is long enough.
  [[nodiscard]] constexpr int elements() const { return rows * columns / 32; }
  /// Registers until they repeat.
  [[nodiscard]] constexpr int distinct() const { return elements() / elements_per_register(type); }
  [[nodiscard]] constexpr int bytes() const { return bits_of(type) / 8; }
  /// Elements next to each other in memory that one access of a lane takes, at most 16 bytes.
  [[nodiscard]] constexpr int run(bool by_columns) const {
    if (by_columns || columns % elements() != 0) return 1;
    return elements() * bytes() > 16 ? 16 / bytes() : elements();
  }
  [[nodiscard]] constexpr MatrixPosition position(int lane, int element) const {
    const int index = lane * elements() + element;
    return {index / columns, index % columns};
  }
};

enum class WmmaOperand : uint8_t { a, b, c, d };

/// Error{unsupported} for a shape that no wmma of the type has.
[[nodiscard]] WmmaMatrix wmma_matrix(const MmaShape& shape, WmmaOperand operand, MatrixType type);
/// Registers of the operand: those of f16 factors are 8 whatever the shape.
[[nodiscard]] size_t wmma_registers(const WmmaMatrix& matrix, WmmaOperand operand);

/// The types that wmma of a factor's type gives: Error{unsupported} for others.
void check_wmma(const MmaShape& shape, MatrixType a, MatrixType b, MatrixType c, MatrixType d);

}  // namespace parity::ptx

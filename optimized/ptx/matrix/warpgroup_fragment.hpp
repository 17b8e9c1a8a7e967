// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// wgmma.mma_async: registers of the 128 lanes of a warpgroup. PTX ISA 9.7.15.5.1.1. Warp w holds rows 16 w to 16 w +
// 15.
#pragma once

#include "optimized/ptx/matrix/fragment.hpp"

namespace parity::ptx {

/// The fragment of D (64, n): n / 2 elements for each lane.
[[nodiscard]] constexpr MatrixFragment warpgroup_fragment_d(int n, MatrixType type) {
  const int elements = elements_per_register(type);
  return {n / 2 / elements, elements};
}

/// The position in D; blocks of 8 columns follow each other. `lane`: 0 to 127.
[[nodiscard]] constexpr MatrixPosition warpgroup_position_d(MatrixType type, int lane, int number, int element) {
  const int index = number * elements_per_register(type) + element;
  const int row = lane / 32 * 16 + lane % 32 / 4 + 8 * (index / 2 % 2);
  return {row, index / 4 * 8 + lane % 4 * 2 + index % 2};
}

/// A in registers: four of 32 bits for every type, 32 bytes of k.
[[nodiscard]] constexpr MatrixFragment warpgroup_fragment_a(MatrixType type) {
  return {4, elements_per_register(type)};
}

[[nodiscard]] constexpr MatrixPosition warpgroup_position_a(MatrixType type, int lane, int number, int element) {
  const MmaShape shape{16, 8, 8 * elements_per_register(type)};
  const MatrixPosition within = position_a(shape, type, lane % 32, number, element);
  return {within.row + lane / 32 * 16, within.column};
}

/// m64nNkK with this type: K is 32 bytes (b1: 256). Throws Error{unsupported} for an n or a type that wgmma does not
/// have: n is a multiple of 8 up to 256; of s8, u8 and b1: 8, 16, 24, 32, and multiples of 16 above. PTX ISA 9.7.15.2.
[[nodiscard]] MmaShape warpgroup_shape(int n, MatrixType type);

}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// mma.sync of a whole warp: registers in, registers out. PTX ISA 9.7.14.5.14.
#pragma once

#include "optimized/ptx/matrix/fragment.hpp"
#include "optimized/ptx/matrix/product.hpp"

namespace parity::ptx {

/// A decoded mma.sync, checked once by check_mma.
struct Mma {
  MmaShape shape;
  MatrixType a = MatrixType::f16, b = MatrixType::f16, c = MatrixType::f32, d = MatrixType::f32;
  bool satfinite = false;                         // of integers
  bool logical_and = false;                       // of b1: .and.popc, else .xor.popc
  bool a_row_major = true, b_row_major = false;   // m8n8k4 of f16 alone has a choice
  RoundingMode rounding = RoundingMode::nearest;  // of f64
};

/// Throws Error{unsupported} for a shape, type or modifier that no dense mma of sm_80 to sm_100 has.
void check_mma(const Mma& mma);

/// A register of a warp: 32 lanes of 32 bits, of f64 of 64 bits.
using WarpRegister32 = const uint32_t*;
using WarpRegister64 = const uint64_t*;

/// a, b, c, d: the registers in the order of the instruction's operands; d may be c. For every mma but those of f64.
void execute_mma(const Mma& mma, const WarpRegister32* a, const WarpRegister32* b, const WarpRegister32* c,
                 uint32_t* const* d, const Summation& summation = {});
void execute_mma_f64(const Mma& mma, const WarpRegister64* a, const WarpRegister64* b, const WarpRegister64* c,
                     uint64_t* const* d);

}  // namespace parity::ptx

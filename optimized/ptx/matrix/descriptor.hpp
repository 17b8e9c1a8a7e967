// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Operands of wgmma in shared memory: from the 64-bit matrix descriptor to the address of an element. PTX ISA
// 9.7.15.5.1.2.
#pragma once

#include "optimized/ptx/matrix/swizzle.hpp"
#include "optimized/ptx/matrix/types.hpp"

namespace parity::ptx {

/// A decoded matrix descriptor: all offsets in bytes of shared memory.
struct MatrixDescriptor {
  uint32_t start = 0;
  uint32_t leading = 0;  // leading dimension byte offset; unused in K-major swizzled layouts
  uint32_t stride = 0;   // stride dimension byte offset
  uint32_t base = 0;     // base offset: the number, modulo 8, of the 128-byte line where the swizzle's pattern begins
  Swizzle swizzle = Swizzle::none;
};

/// Throws Error{schema} if reserved bits are set, or if there is a base offset without a swizzle.
[[nodiscard]] MatrixDescriptor decode_descriptor(uint64_t bits);

/// Which dimension of an operand is contiguous in memory: imm-trans 0 is K, 1 is M of A or N of B.
enum class Major : uint8_t { k, mn };

/// `extent`: 64 of A, n of B. Error{unsupported} for what no wgmma reads: M- or N-major of types other than f16 and
/// bf16. Error{schema} for a start within a row of the swizzle from which the operand's bytes would leave the row.
void check_operand(const MatrixDescriptor& descriptor, Major major, MatrixType type, int extent);

/// Shared-memory byte address of element (mn, k), mn along M of A or N of B. With T elements in 16 bytes, W the
/// swizzle's span, x the byte of the element along the contiguous dimension:   K-major, none:   mn % 8 * 16 + mn / 8 *
/// stride + x % 16 + x / 16 * leading   K-major, W:      mn % 8 * W  + mn / 8 * stride + x   MN-major, none:  x % 16 +
/// x / 16 * stride + k % 8 * 16 + k / 8 * leading   MN-major, W:     x % W  + x / W * leading + k % 8 * W + k / 8 *
/// stride from the start, then swizzled: the canonical layouts of 9.7.15.5.1.2.1.3. Addresses wrap at 2^18, as the
/// fields do. b1 and four-bit elements are addressed by the byte that holds them.
[[nodiscard]] uint32_t operand_address(const MatrixDescriptor& descriptor, Major major, MatrixType type, int mn, int k);

}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// wgmma.mma_async as Code::lists holds it: words that say what is multiplied, registers of A, accumulators.
#pragma once

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/machine/machine.hpp"
#include "optimized/ptx/matrix/descriptor.hpp"
#include "optimized/ptx/matrix/fragment.hpp"

namespace parity::ptx {

struct Warpgroup {
  static constexpr uint32_t kWords = 9;
  MmaShape shape;
  MatrixType a = MatrixType::f16, b = MatrixType::f16, sum = MatrixType::f32;
  MatrixType operand = MatrixType::f16;  // whose layout A and B have: fp8 of both kinds have the same
  Major a_major = Major::k, b_major = Major::k;
  bool a_in_registers = false, negated = false, satfinite = false;  // negated: of one of A and B
};

[[nodiscard]] Warpgroup warpgroup_of(const uint32_t* words);
inline constexpr uint32_t kWarpsOfGroup = 4;

/// visit(address of 16 bytes, mn, k) of the first element in them, for rows [from, to) of an operand.
template <class Visit>
void each_chunk(const MatrixDescriptor& at, Major major, const Warpgroup& what, int from, int to, const Visit& visit) {
  const int wide = 128 / bits_of(what.operand);
  const int k_step = major == Major::k ? wide : 1, mn_step = major == Major::k ? 1 : wide;
  for (int mn = from; mn < to; mn += mn_step) {
    for (int k = 0; k < what.shape.k; k += k_step) visit(operand_address(at, major, what.operand, mn, k), mn, k);
  }
}

struct Side {
  MatrixDescriptor at;
  Major major;
  int from, to;  // rows of A or columns of B that the warp multiplies
};

/// The sides of a product that the warp multiplies.
[[nodiscard]] inline Side side_b(const PendingMatrix& pending, const Warpgroup& what) {
  return {decode_descriptor(pending.b), what.b_major, 0, what.shape.n};
}
[[nodiscard]] inline Side side_a(const Warp& warp, const PendingMatrix& pending, const Warpgroup& what) {
  const int first = static_cast<int>(warp.index % kWarpsOfGroup) * 16;
  return {decode_descriptor(pending.a), what.a_major, first, first + 16};
}

/// Whether 16 bytes there are shared memory of the block.
[[nodiscard]] inline bool inside(const Warp& warp, uint32_t address) {
  return address >= kSharedStart && address + 16 <= warp.block->shared.size();
}

/// The product of one warp, and the end of its reads of shared memory.
void carry_out(Warp& warp, PendingMatrix& pending);
/// A new wait: what earlier ones have read is forgotten.
void begin_wait();

/// Step::a: descriptor of A; b: of B; c: scale-d, mode: whether it is negated.
void decode_product(Decoder& d, Step& step);
/// scale-d: whether the accumulators are added to.
[[nodiscard]] bool adds(const Warp& warp, const Step& step);

}  // namespace parity::ptx

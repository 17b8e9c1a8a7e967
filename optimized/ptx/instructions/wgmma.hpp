// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// wgmma.mma_async as Code::lists holds it: words that say what is multiplied, registers of A, accumulators.
#pragma once

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/machine/warp.hpp"
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
/// Step::a: descriptor of A; b: of B; c: scale-d, mode: whether it is negated.
void decode_product(Decoder& d, Step& step);
/// scale-d: whether the accumulators are added to.
[[nodiscard]] bool adds(const Warp& warp, const Step& step);

}  // namespace parity::ptx

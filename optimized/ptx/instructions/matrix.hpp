// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What matrix instructions have in common: all lanes of a warp execute them together, and operands are lists of registers.
#pragma once

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/machine/machine.hpp"
#include "optimized/ptx/matrix/fragment.hpp"

namespace parity::ptx {

/// Returns true if all lanes of the warp are here (warp.mask names them), false if the fragment waits for the others.
[[nodiscard]] bool whole_warp(Warp& warp, const Step& step);

/// Appends the offsets of the registers of "{%r1, %r2}" or of one operand to `words`. Returns their number.
size_t matrix_sources(Decoder& d, const Operand& operand, Type type, std::vector<uint32_t>& words);
size_t matrix_destinations(Decoder& d, const Operand& operand, Type type, std::vector<uint32_t>& words);

/// Takes ".sync.aligned", which all but the asynchronous ones have.
void take_aligned(Decoder& d);
/// Takes ".m16n8k16".
[[nodiscard]] MmaShape take_shape(Decoder& d);

/// Runs `check`, whose errors get the line of the instruction.
template <class Check>
auto with_line(const Decoder& d, const Check& check) {
  try {
    return check();
  } catch (const Error& error) {
    d.refuse(error.what());
  }
}

}  // namespace parity::ptx

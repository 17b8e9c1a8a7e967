// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/multiply_add.hpp"

#include "optimized/cpu/simd/vector.hpp"

namespace parity::cpu::PARITY_LEVEL {

void multiply_add(const MultiplyAdd& args) {
  for (int i = 0; i < 16; i += kLanes) store(args.out + i, load(args.a + i) * load(args.b + i) + load(args.c + i));
}

}  // namespace parity::cpu::PARITY_LEVEL

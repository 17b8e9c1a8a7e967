// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How many blocks of a kernel an SM holds at a time.
#pragma once

#include "optimized/ptx/bound/gpu.hpp"

namespace parity::ptx {

/// What a block takes of an SM.
struct BlockNeeds {
  uint32_t threads = 1;
  uint32_t registers = 0;     // of a thread, as the assembler shares them out
  uint32_t shared_bytes = 0;  // static and dynamic
};

struct Occupancy {
  uint32_t blocks = 0;     // of an SM; 0: the kernel cannot be launched
  double share = 0;        // of the warps that an SM can hold
  const char* limit = "";  // what is used up first: "registers", "shared memory", "threads", "blocks"
};

/// For compute capability 8.0 to 12.x, whose units of allocation are the same.
[[nodiscard]] Occupancy occupancy_of(const BlockNeeds& block, const Residency& sm);

}  // namespace parity::ptx

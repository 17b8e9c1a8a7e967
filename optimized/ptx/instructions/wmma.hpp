// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The two halves of wmma: memory, and products.
#pragma once

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/matrix/wmma_fragment.hpp"

namespace parity::ptx {

/// wmma.load or wmma.store, of which "wmma.load" or "wmma.store" is taken.
[[nodiscard]] Handler wmma_memory(Decoder& d, Step& step, bool stores);

}  // namespace parity::ptx

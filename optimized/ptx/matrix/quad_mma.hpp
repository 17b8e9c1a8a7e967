// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "optimized/ptx/matrix/mma.hpp"

namespace parity::ptx {

/// mma.m8n8k4 of f16: four products. Part of execute_mma.
void execute_quad_mma(const Mma& mma, const WarpRegister32* a, const WarpRegister32* b, const WarpRegister32* c,
                      uint32_t* const* d, const Summation& summation);

}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Approximate instructions lane by lane through number/approximate.hpp.
#pragma once

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/machine/warp.hpp"
#include "optimized/ptx/number/approximate.hpp"

namespace parity::ptx {

/// d = function(a) or, of div, a / b, with the errors that Options::approximation_seed draws.
void approximate_lanes(Warp& warp, const Step& step, Approximation function, bool ftz, bool sat);
/// ex2 and tanh of f16 and bf16; null for all else.
Handler half_approximations(Decoder& d, Step& step);

}  // namespace parity::ptx

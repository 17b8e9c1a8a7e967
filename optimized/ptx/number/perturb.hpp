// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Errors within a bound, drawn from a key: equal keys err equally, on every machine.
#pragma once

#include <cstdint>

#include "optimized/ptx/number/approximate.hpp"

namespace parity::ptx {

/// Three words as one: splitmix64 (Steele, Lea, Flood 2014) of each in turn.
[[nodiscard]] uint64_t mix(uint64_t a, uint64_t b, uint64_t c);

/// Returns a number in (-1, 1) that the key determines; over keys it is uniform.
[[nodiscard]] double fraction_of(uint64_t key);

/// A f32 within `bound` of `exact`, which is finite and not zero.
[[nodiscard]] float perturbed(double exact, const ErrorBound& bound, uint64_t key);
/// A code of f16 or bf16 within `bound` of `exact`; subnormal bf16 is not avoided, its caller flushes.
[[nodiscard]] uint64_t perturbed_half(NumberType type, double exact, const ErrorBound& bound, uint64_t key);

}  // namespace parity::ptx

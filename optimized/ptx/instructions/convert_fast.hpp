// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Frequent conversions as loops over lanes that compilers make vectors of.
#pragma once

#include "optimized/ptx/machine/step.hpp"
#include "optimized/ptx/number/convert.hpp"

namespace parity::ptx {

/// Returns null if there is no fast handler; number/convert.hpp then converts. The byte counts are those of the
/// registers.
[[nodiscard]] Handler fast_conversion(const Conversion& how, uint32_t to_bytes, uint32_t from_bytes);
/// f32 to f16x2 and bf16x2.
[[nodiscard]] Handler fast_pair(const Conversion& how);

}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/activation/silu.hpp"

#include "optimized/cpu/activation/elementwise.hpp"

namespace parity::optimized {

void register_cpu_silu(Registry& registry) {
  registry.add<Silu>("cpu", "f32", &elementwise::of_one<Silu, float, &cpu::silu_f32>);
  registry.add<Silu>("cpu", "bf16", &elementwise::of_one<Silu, BFloat16, &cpu::silu_bf16>);
}

}  // namespace parity::optimized

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/registry.hpp"

namespace parity::optimized {

#define PARITY_CPU_KERNEL(name) void register_cpu_##name(Registry& registry);
#include "optimized/cpu_kernels.def"
#undef PARITY_CPU_KERNEL
#define PARITY_CPU_FUSION(name) void register_cpu_fusion_##name(Fusions& fusions);
#include "optimized/cpu_fusions.def"
#undef PARITY_CPU_FUSION
}  // namespace parity::optimized

namespace parity::torch_backend {
void register_kernels(Registry& registry);
}

namespace parity::optimized {

const Registry& registry() {
  static const Registry instance = [] {
    Registry built;
#define PARITY_CPU_KERNEL(name) register_cpu_##name(built);
#include "optimized/cpu_kernels.def"
#undef PARITY_CPU_KERNEL
    return built;
  }();
  return instance;
}

const Fusions& fusions() {
  static const Fusions instance = [] {
    Fusions built;
#define PARITY_CPU_FUSION(name) register_cpu_fusion_##name(built);
#include "optimized/cpu_fusions.def"
#undef PARITY_CPU_FUSION
    return built;
  }();
  return instance;
}

const Registry& registry_with_libraries() {
  static const Registry instance = [] {
    Registry built = registry();
    torch_backend::register_kernels(built);
    return built;
  }();
  return instance;
}

}  // namespace parity::optimized

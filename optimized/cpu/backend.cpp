// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Backend "cpu": C++ with the vectors and tiles of x86-64, the highest level that the processor has.
#include "optimized/backends.hpp"
#include "optimized/cpu/level.hpp"

namespace parity::optimized {

#define PARITY_KERNEL(name) void register_cpu_##name(BackendKernels& kernels);
#include "optimized/cpu_kernels.def"
#undef PARITY_KERNEL

namespace {

void add(BackendKernels& kernels) {
  static_cast<void>(kernels);  // of another processor there are none
#define PARITY_KERNEL(name) register_cpu_##name(kernels);
#include "optimized/cpu_kernels.def"
#undef PARITY_KERNEL
}

void require() {
  PARITY_CHECK(PARITY_X86_KERNELS, device, "this build has no CPU kernels; they are written for x86-64");
  static_cast<void>(cpu::level());
}

std::string level_name() { return to_string(cpu::level()); }

}  // namespace

Backend cpu_backend() { return {"cpu", true, &on_host, &require, &version_or_reason<&require, &level_name>, &add}; }

}  // namespace parity::optimized

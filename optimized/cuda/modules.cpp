// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cuda/modules.hpp"

#include <vector>

#include "core/error.hpp"

// The assembler reads the files that nvcc wrote: no copy of the text passes through the compiler.
#define PARITY_MODULE(name, capability, file)                                                                        \
  __asm__(".pushsection .rodata\nparity_ptx_" #name "_" #capability ":\n.incbin \"" file "\"\nparity_ptx_end_" #name \
          "_" #capability ":\n.byte 0\n.popsection\n");                                                              \
  extern "C" const char parity_ptx_##name##_##capability[], parity_ptx_end_##name##_##capability[];
#include "optimized/cuda_modules.def"
#undef PARITY_MODULE

namespace parity::optimized::cuda {
namespace {

struct Embedded {
  std::string_view name;
  int capability;
  std::string_view text;
};

const std::vector<Embedded>& embedded() {
  static const std::vector<Embedded> all{
#define PARITY_MODULE(name, capability, file) \
  {#name,                                     \
   capability,                                \
   {parity_ptx_##name##_##capability,         \
    static_cast<size_t>(parity_ptx_end_##name##_##capability - parity_ptx_##name##_##capability)}},
#include "optimized/cuda_modules.def"
#undef PARITY_MODULE
  };
  return all;
}

}  // namespace

bool has_modules() { return !embedded().empty(); }

void require_modules() {
  PARITY_CHECK(
      has_modules(), device,
      "this build has no CUDA kernels: nvcc 12.8 or later was not found; run ci/setup.sh cuda, then build again");
}

std::string_view module_text(const std::string& name, int capability) {
  const Embedded* best = nullptr;
  for (const Embedded& module : embedded()) {
    const bool fits = module.name == name && module.capability <= capability;
    // PTX of an architecture's own features (sm_90a) runs on that architecture alone.
    const bool own = module.capability == 80 || module.capability == capability;
    if (fits && own && (best == nullptr || module.capability > best->capability)) best = &module;
  }
  PARITY_CHECK(best != nullptr, not_found,
               "no module '{}' of CUDA kernels for compute capability {}; its file optimized/cuda/*/{}.cu is missing",
               name, capability, name);
  return best->text;
}

}  // namespace parity::optimized::cuda

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cuda/modules.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
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

/// Of the folder that PARITY_CUDA_MODULES names, the module's file; empty if the variable or the file is not there.
std::filesystem::path replacement_of(const Embedded& module) {
  const char* folder = std::getenv("PARITY_CUDA_MODULES");
  if (folder == nullptr || *folder == '\0') return {};
  PARITY_CHECK(std::filesystem::is_directory(folder), usage,
               "PARITY_CUDA_MODULES is '{}', which is no folder; name one that holds NAME.80.ptx, or unset it", folder);
  const char* own = module.capability == 80 ? "" : "a";
  std::filesystem::path file =
      std::filesystem::path(folder) / fmt::format("{}.{}{}.ptx", module.name, module.capability, own);
  return std::filesystem::exists(file) ? file : std::filesystem::path{};
}

struct Replaced {
  std::mutex mutex;
  std::map<std::string, std::string> texts;              // by file
  std::map<std::string, std::set<std::string>> started;  // kernels of a module
};

Replaced& replaced() {
  static auto& instance = *new Replaced;  // NOLINT(cppcoreguidelines-owning-memory): texts live as long as the program
  return instance;
}

/// The text lives as long as the program, like an embedded one. A line on stderr says that these kernels are not the
/// built-in ones.
std::string_view replaced_text(const std::string& module, const std::filesystem::path& file) {
  const std::scoped_lock lock(replaced().mutex);
  const auto [known, fresh] = replaced().texts.try_emplace(file.string());
  replaced().started.try_emplace(module);
  if (fresh) {
    std::ifstream stream(file, std::ios::binary);
    known->second.assign(std::istreambuf_iterator<char>(stream), {});
    fmt::print(stderr, "parity: the kernels of {} replace the built-in kernels (PARITY_CUDA_MODULES)\n", file.string());
  }
  PARITY_CHECK(!known->second.empty(), io,
               "{} is empty or cannot be read; write it again, or unset PARITY_CUDA_MODULES", file.string());
  return known->second;
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
  const std::filesystem::path file = replacement_of(*best);
  return file.empty() ? best->text : replaced_text(name, file);
}

void say_started(const std::string& module, const std::string& kernel) {
  const std::scoped_lock lock(replaced().mutex);
  const auto known = replaced().started.find(module);
  if (known != replaced().started.end() && known->second.insert(kernel).second)
    fmt::print(stderr, "parity: kernel {} of {} is started\n", kernel, module);
}

}  // namespace parity::optimized::cuda

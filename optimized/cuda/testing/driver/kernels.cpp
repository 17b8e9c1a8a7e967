// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Entry points of the driver: modules, kernels, launches, texts of errors.
#include <cstring>

#include "optimized/cuda/testing/driver/entry.hpp"

using namespace parity::optimized::cuda::stand_in;
namespace ptx = parity::ptx;

namespace {

// As cuda.h has them, written again: a stand-in that shared the caller's would share its mistakes.
struct GivenAttribute {
  int id;
  char padding[4];
  union {
    unsigned cluster[3];
    char bytes[64];
  };
};
struct GivenConfig {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  void* stream;
  GivenAttribute* attributes;
  unsigned attribute_count;
};
static_assert(sizeof(GivenAttribute) == 72 && sizeof(GivenConfig) == 56);

/// "sm_90a" runs on 9.0 alone, "sm_80" on everything from 8.0.
bool runs(const std::string& target) {
  const size_t at = target.find("sm_");
  if (at == std::string::npos) return false;
  const int capability = std::atoi(target.c_str() + at + 3);
  return target.back() == 'a' ? capability == kCapability : capability <= kCapability;
}

void write_log(unsigned count, const int* options, void** values, const char* text) {
  constexpr int kLog = 5, kLogBytes = 6;
  char* log = nullptr;
  size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == kLog) log = static_cast<char*>(values[i]);
    if (options[i] == kLogBytes) bytes = reinterpret_cast<uintptr_t>(values[i]);
  }
  if (log != nullptr && bytes > 0) std::snprintf(log, bytes, "%s", text);
}

int cluster_of(const GivenConfig& config, ptx::Launch& launch) {
  constexpr int kCluster = 4;
  for (unsigned i = 0; i < config.attribute_count; ++i) {
    if (config.attributes[i].id != kCluster) return invalid_value;
    const unsigned* sizes = config.attributes[i].cluster;
    launch.cluster = {sizes[0], sizes[1], sizes[2]};
  }
  return success;
}

/// The address of each parameter, in order.
void add_parameters(const Kernel& kernel, void** addresses, ptx::Launch& launch) {
  size_t written = 0;
  for (const auto& [name, variable] : kernel.code->function->parameters) {
    const ptx::Place& place = kernel.code->launched.at(name);
    for (; written < place.offset; ++written) launch.parameters.add(std::byte{0});
    const auto* bytes = static_cast<const std::byte*>(*addresses++);
    for (size_t i = 0; i < place.bytes; ++i, ++written) launch.parameters.add(bytes[i]);
  }
}

}  // namespace

PARITY_DRIVER_ENTRY int cuModuleLoadDataEx(void** module, const void* image, unsigned count, int* options,
                                           void** values) {
  return uncaptured([&](Gpu& gpu) -> int {
    try {
      LoadedModule& loaded = gpu.modules.emplace_back(static_cast<const char*>(image));
      if (runs(loaded.program.module().target)) {
        *module = &loaded;
        return success;
      }
      write_log(count, options, values, "the PTX is for another GPU");
    } catch (const std::exception& error) {
      write_log(count, options, values, error.what());
    }
    return invalid_ptx;
  });
}

PARITY_DRIVER_ENTRY int cuModuleGetFunction(void** function, void* module, const char* name) {
  return within([&](Gpu& gpu) -> int {
    LoadedModule* loaded = member(gpu.modules, module);
    if (loaded == nullptr) return invalid_handle;
    Kernel* kernel = kernel_of(*loaded, name);
    *function = kernel;
    return kernel == nullptr ? not_found : success;
  });
}

PARITY_DRIVER_ENTRY int cuFuncSetAttribute(void* function, int attribute, int value) {
  return within([&](Gpu&) -> int {
    constexpr int kMostDynamicShared = 8;
    auto& kernel = *static_cast<Kernel*>(function);
    if (attribute != kMostDynamicShared || value < 0) return invalid_value;
    if (static_cast<uint64_t>(value) + kernel.static_shared > kMostShared) return invalid_value;
    kernel.allowed = static_cast<uint32_t>(value);
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuLaunchKernelEx(const GivenConfig* config, void* function, void** parameters, void** extra) {
  return on_stream(config->stream, [&](Gpu& gpu, Stream& stream) -> int {
    if (function == nullptr) return invalid_handle;
    if (extra != nullptr) return invalid_value;  // a buffer is shifted where alignment exceeds 16
    const auto& kernel = *static_cast<const Kernel*>(function);
    ptx::Launch launch{kernel.name,
                       {config->grid_x, config->grid_y, config->grid_z},
                       {config->block_x, config->block_y, config->block_z},
                       {1, 1, 1},
                       config->shared_bytes,
                       {}};
    if (parameters != nullptr) add_parameters(kernel, parameters, launch);
    for (const int status : {cluster_of(*config, launch), check_launch(kernel, launch, config->attribute_count > 0)})
      if (status != success) return status;
    gpu.queue(stream, [&gpu, &kernel, launch] { gpu.run(kernel, launch); });
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuGetErrorString(int status, const char** text) {
  *text = text_of(status);
  return *text == nullptr ? invalid_value : success;
}

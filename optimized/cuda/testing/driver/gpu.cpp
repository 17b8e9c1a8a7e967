// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cuda/testing/driver/gpu.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>

namespace parity::optimized::cuda::stand_in {

const char* text_of(int status) {
  switch (status) {
    case invalid_value:
      return "invalid argument";
    case out_of_memory:
      return "out of memory";
    case not_initialized:
      return "initialization error";
    case invalid_device:
      return "invalid device ordinal";
    case invalid_context:
      return "invalid device context";
    case invalid_ptx:
      return "a PTX JIT compilation failed";
    case invalid_handle:
      return "invalid resource handle";
    case not_found:
      return "named symbol not found";
    case not_ready:
      return "device not ready";
    case illegal_address:
      return "an illegal memory access was encountered";
    case capture_unsupported:
      return "operation not permitted when stream is capturing";
    case capture_invalidated:
      return "operation failed due to a previous error during capture";
    case invalid_cluster_size:
      return "cluster misconfiguration";
    default:
      return nullptr;
  }
}

Gpu& gpu() {
  static auto& instance =
      *new Gpu;  // NOLINT(cppcoreguidelines-owning-memory): tensors outlive what is destroyed at exit
  return instance;
}

int Gpu::drain(Stream& stream) {
  std::vector<Work> works;
  works.swap(stream.queue);
  for (const Work& work : works) {
    if (failed != success) break;
    try {
      work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "the driver's stand-in: %s\n", error.what());
      failed = illegal_address;
    }
  }
  return failed;
}

void Gpu::queue(Stream& stream, Work work) {
  (stream.capture ? stream.capture->nodes : stream.queue).push_back(std::move(work));
}

void Gpu::run(const Kernel& kernel, ptx::Launch launch) {
  ptx::Options options;
  const uint64_t threads = std::max(1U, std::thread::hardware_concurrency());
  options.workers = static_cast<uint32_t>(std::min<uint64_t>(threads, launch.grid.count()));
  const ptx::Outcome outcome = ptx::run(*kernel.program, device, launch, options);
  clock += outcome.warp_instructions;
  for (const ptx::Finding& finding : outcome.findings)
    std::fprintf(stderr, "the driver's stand-in: %s\n", ptx::describe(finding).c_str());
  if (!outcome.findings.empty()) failed = illegal_address;
}

Kernel* kernel_of(LoadedModule& module, const std::string& name) {
  const auto known = module.kernels.find(name);
  if (known != module.kernels.end()) return &known->second;
  const ptx::Code* code = module.program.find(name);
  if (code == nullptr || !code->function->entry) return nullptr;
  Kernel kernel{name, &module.program, code};
  for (const auto& [variable, what] : code->function->variables)
    if (what.space == ".shared" && !what.unsized) kernel.static_shared += static_cast<uint32_t>(what.bytes);
  kernel.allowed = kWithoutAsking - std::min(kWithoutAsking, kernel.static_shared);
  return &module.kernels.emplace(name, std::move(kernel)).first->second;
}

int check_launch(const Kernel& kernel, const ptx::Launch& launch, bool has_cluster) {
  constexpr uint32_t kMostX = 0x7fffffff, kMostOther = 65535, kMostThreads = 1024, kMostDeep = 64, kPortable = 8;
  const ptx::Dim &grid = launch.grid, &block = launch.block, &cluster = launch.cluster;
  if (grid.count() == 0 || grid.x > kMostX || grid.y > kMostOther || grid.z > kMostOther) return invalid_value;
  if (block.count() == 0 || block.count() > kMostThreads || block.z > kMostDeep) return invalid_value;
  const auto most = kernel.code->function->directives.find(".maxntid");
  if (most != kernel.code->function->directives.end()) {
    const auto& [x, y, z] = most->second;
    if (block.count() > uint64_t{x} * y * z) return invalid_value;
  }
  if (launch.dynamic_shared > kernel.allowed) return invalid_value;
  uint64_t bytes = 0;
  for (const auto& [name, place] : kernel.code->launched) bytes = std::max<uint64_t>(bytes, place.offset + place.bytes);
  if (launch.parameters.bytes().size() != bytes) return invalid_value;
  if (!has_cluster) return success;
  const bool divides =
      cluster.count() > 0 && grid.x % cluster.x == 0 && grid.y % cluster.y == 0 && grid.z % cluster.z == 0;
  return divides && cluster.count() <= kPortable ? success : invalid_cluster_size;
}

}  // namespace parity::optimized::cuda::stand_in

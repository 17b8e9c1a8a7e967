// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A GPU that is none, behind the driver's interface: what is queued runs on the PTX machine once somebody waits for it.
// It is stricter than a driver: what only the documentation forbids is an error.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "optimized/ptx/machine/launch.hpp"

namespace parity::optimized::cuda::stand_in {

enum Status : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  invalid_device = 101,
  invalid_context = 201,
  invalid_ptx = 218,
  invalid_handle = 400,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  capture_unsupported = 900,
  capture_invalidated = 901,
  invalid_cluster_size = 912
};
[[nodiscard]] const char* text_of(int status);

inline constexpr int kCapability = 90;
inline constexpr uint32_t kWithoutAsking = 48 * 1024, kMostShared = 227 * 1024;  // bytes of shared memory of a block
inline constexpr int kContext = 0;                                               // its address is the context

struct Kernel {
  std::string name;
  const ptx::Program* program = nullptr;
  const ptx::Code* code = nullptr;
  uint32_t static_shared = 0, allowed = 0;  // bytes of shared memory; of dynamic one that may be asked for
};
struct LoadedModule {
  explicit LoadedModule(const char* text) : program(text) {}
  ptx::Program program;
  std::map<std::string, Kernel> kernels;
};
struct Event {
  bool recorded = false, over = false;
  uint64_t at = 0;  // instructions of warps that the GPU had executed
};
using Work = std::function<void()>;
struct Graph {
  std::vector<Work> nodes;
};
struct Stream {
  std::vector<Work> queue;
  std::unique_ptr<Graph> capture;
  bool invalidated = false;
};

/// Every member is used under `mutex`.
struct Gpu {
  std::mutex mutex;
  bool initialized = false;
  int failed = success;  // what a kernel did wrong: no call succeeds from then on
  uint64_t clock = 0;
  size_t held = 0;  // bytes of memory that are allocated
  ptx::Device device;
  std::list<Stream> streams;
  std::list<Event> events;
  std::list<LoadedModule> modules;
  std::list<Graph> graphs, instances;

  /// Runs all that is queued.
  int drain(Stream& stream);
  /// Now, or with the graph.
  void queue(Stream& stream, Work work);
  /// A launch of kernels that are checked already.
  void run(const Kernel& kernel, ptx::Launch launch);
};

[[nodiscard]] Gpu& gpu();
/// The kernel of a module by its name, or null.
[[nodiscard]] Kernel* kernel_of(LoadedModule& module, const std::string& name);

/// What a launch must be, of the documentation of cuLaunchKernelEx.
[[nodiscard]] int check_launch(const Kernel& kernel, const ptx::Launch& launch, bool has_cluster);

template <class Item>
[[nodiscard]] Item* member(std::list<Item>& all, const void* handle) {
  for (Item& each : all)
    if (&each == handle) return &each;
  return nullptr;
}

}  // namespace parity::optimized::cuda::stand_in

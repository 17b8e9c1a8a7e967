// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The state of a running launch that its workers share.
#pragma once

#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/error.hpp"
#include "optimized/ptx/counting/counting.hpp"
#include "optimized/ptx/machine/block.hpp"
#include "optimized/ptx/machine/launch.hpp"
#include "optimized/ptx/machine/windows.hpp"

namespace parity::ptx {

/// Locks of pages of global memory, taken in order of their numbers.
class PageLocks {
 public:
  static constexpr uint32_t kCount = 64;
  [[nodiscard]] static uint32_t of(uint64_t address) { return address / ShadowPage::kBytes % kCount; }
  void lock(uint64_t set);
  void unlock(uint64_t set);

 private:
  std::array<std::mutex, kCount> mutexes_;
};

/// Constants of a function for this launch: all relocations but those of a frame are done.
struct Image {
  std::vector<uint8_t> constants;
  std::vector<const Relocation*> of_frames;
};

struct Machine {
  Machine(const Program& of, Device& on, const Launch& what, const Options& how)
      : program(of), device(on), launch(what), options(how), entry(of.entry(what.kernel)) {}

  const Program& program;
  Device& device;
  const Launch& launch;
  const Options& options;
  const Code& entry;
  Dim cluster;
  uint32_t static_shared = 0, shared_bytes = 0, warps_per_block = 0, workers = 1;
  std::map<std::string, uint32_t> shared_symbols;
  std::vector<Image> images;  // by Code::index
  std::map<std::string, Place> entry_params;
  PageLocks locks;
  std::atomic<uint64_t> next_gang{0}, progress{0}, executed{0};
  std::atomic<bool> stop{false};
  std::atomic<uint32_t> stalled{0}, running{0};
  uint64_t gangs = 0;
  uint64_t grid_workspace = 0;    // its address, or 0
  std::vector<uint64_t> sampled;  // numbers of the gangs that run; empty: all

  std::mutex mutex;  // of what follows
  std::vector<Finding> findings;
  std::map<std::array<uint32_t, 3>, size_t> found;  // kind, step, other step -> index
  std::vector<std::string> printed;
  std::exception_ptr error;

  [[nodiscard]] bool locked() const { return workers > 1; }
};

[[nodiscard]] Position position_of(const Module& module, const Step& step);

/// Where a block stands in the grid; blocks of a cluster have neighbouring numbers.
[[nodiscard]] Dim block_at(const Machine& machine, uint32_t number);

/// One thread of this machine, and the blocks that it runs.
struct Worker {
  explicit Worker(Machine& of, uint64_t number);
  Machine& machine;
  std::vector<std::unique_ptr<Gang>> gangs, spare;
  std::vector<std::vector<uint64_t>> counts;  // by Code::index and step
  std::unique_ptr<Counting> counting;         // if the launch is counted
  Allocation* last = nullptr;                 // that was accessed
  uint64_t random = 0;

  void run();
  /// Returns a number below `below`, drawn from the seed.
  uint32_t draw(uint32_t below);

 private:
  enum class Round : uint8_t { ran, polled, done };
  bool begin_gang();
  Round round(Gang& gang);
  bool settle(Gang& gang);
  bool part_aligned(Gang& gang);
  void end_gang(size_t index);
  bool all_gangs_once();
  void report_deadlock(bool polls = true);
};

}  // namespace parity::ptx

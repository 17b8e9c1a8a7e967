// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Calls of kernels in a process of their own, with what the process did besides computing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cases/plugin/arena.hpp"
#include "cases/plugin/shared_memory.hpp"
#include "cases/plugin/worker_process.hpp"
#include "core/component.hpp"

namespace parity::cases {

/// What a worker says that it has.
struct DescribedKernel {
  std::string component;
  std::vector<DType> types;
};
struct Described {
  std::string name;
  std::vector<DescribedKernel> kernels;
};

/// One call: operands in host memory. Outputs hold what the worker finds in them.
struct ProcessCall {
  const Definition& definition;
  DType working;
  const Arguments& inputs;
  const ParamMap& params;
  const Arguments& outputs;
};

class KernelProcess {
 public:
  /// Starts a worker. Its errors are FoundErrors of the process.
  explicit KernelProcess(const WorkerSource& source) : worker_(source) {}

  /// Error{usage} if the answer is none, or if the kernel cannot be loaded.
  [[nodiscard]] Described describe(double timeout_s);
  /// Runs the kernel and writes the outputs. Throws Error{device} with the text of a kernel that failed, which leaves
  /// the worker alive, and FoundError for anything that a kernel must not do, which does not.
  void call(const ProcessCall& call, double timeout_s);

  [[nodiscard]] bool lives() const { return worker_.lives(); }
  /// Seconds of the last call, from the question to the answer.
  [[nodiscard]] double seconds() const { return worker_.seconds(); }

 private:
  void need_memory(size_t inputs, size_t outputs);
  void require_quiet_since_last_call();
  void inspect(const Arena& outputs);
  void inspect_threads();

  WorkerProcess worker_;
  std::optional<SharedMemory> inputs_, outputs_;
  std::optional<Arena> written_;  // outputs of the last call, and all bytes of their arena
  std::vector<std::byte> left_;
  int64_t threads_ = 0, grown_ = 0;
};

}  // namespace parity::cases

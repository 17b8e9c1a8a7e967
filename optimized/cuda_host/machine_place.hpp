// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The PTX machine as a device: its memory, at addresses that the host cannot touch, and its launches.
#pragma once

#include <map>
#include <mutex>

#include "optimized/cuda/launch.hpp"
#include "optimized/ptx/machine/launch.hpp"

namespace parity::optimized::cuda {

class MachinePlace final : public CudaPlace {
 public:
  static constexpr int kCapability = 90;

  /// `checked`: races and reads of what nobody wrote are looked for, too. What fill() leaves counts as unwritten.
  explicit MachinePlace(bool checked, ptx::Fresh fresh = ptx::Fresh::poison) : checked_(checked), device_(fresh) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::shared_ptr<std::byte[]> allocate(size_t bytes, size_t alignment) override;
  void write(std::byte* target, const std::byte* host, size_t bytes) override;
  void read(std::byte* host, const std::byte* source, size_t bytes) const override;
  void fill(std::byte* target, size_t bytes, std::span<const std::byte> pattern) override;
  void clear(std::byte* target, size_t bytes) override;
  int64_t flush(std::span<std::byte>) const override { return 0; }
  void launch(const Launch& what, std::span<const std::byte> parameters) override;

 private:
  [[nodiscard]] const ptx::Program& program(const std::string& module);

  bool checked_;
  mutable std::mutex mutex_;  // the machine's memory is for one thread at a time; a launch has threads of its own
  ptx::Device device_;
  std::map<std::string, ptx::Program> programs_;
};

}  // namespace parity::optimized::cuda

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
  static constexpr int kCapability = 80;

  /// `checked`: also looks for races and for reads of bytes that were never written. What fill() leaves counts as
  /// unwritten. `capability`: of the device that it stands for; modules are chosen by it. `fresh`: what memory holds.
  explicit MachinePlace(bool checked, int capability = kCapability, ptx::Fresh fresh = ptx::Fresh::poison)
      : checked_(checked), capability_(capability), device_(fresh) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::shared_ptr<std::byte[]> allocate(size_t bytes, size_t alignment) override;
  void write(std::byte* target, const std::byte* host, size_t bytes) override;
  void read(std::byte* host, const std::byte* source, size_t bytes) const override;
  void fill(std::byte* target, size_t bytes, std::span<const std::byte> pattern) override;
  void guard(std::byte* target, size_t bytes, std::span<const std::byte> pattern) override;
  void clear(std::byte* target, size_t bytes) override;
  int64_t flush(std::span<std::byte>) const override { return 0; }
  [[nodiscard]] std::unique_ptr<Recorded> record(const std::function<void()>& work) override;
  void launch(const Launch& what, std::span<const std::byte> parameters) override;
  [[nodiscard]] int capability() const override { return capability_; }
  [[nodiscard]] TensorMap tensor_map(const TensorBoxes& boxes) const override;
  /// The same for a program that is no module of this build; `source` is what errors call it. A launch of more than
  /// `most_instructions` of warps counts as endless.
  void launch(const ptx::Program& program, const std::string& source, const Launch& what,
              std::span<const std::byte> parameters, uint64_t most_instructions = ptx::Options{}.most_instructions);

 private:
  class Recording;
  void require_no_recording(const char* what) const;
  /// Sets what the checks know of each byte.
  void mark(std::byte* target, size_t bytes, ptx::Mark::Byte mark);
  void store(std::byte* target, const std::byte* host, size_t bytes);
  /// Leaves a part of a call to the launches of the recording.
  void defer(std::function<void()> part) const;
  [[nodiscard]] const ptx::Program& program(const std::string& module);

  bool checked_;
  int capability_;
  mutable std::mutex mutex_;  // the machine's memory is for one thread at a time; a launch has threads of its own
  ptx::Device device_;
  std::map<std::string, ptx::Program> programs_;
  Recording* recording_ = nullptr;
};

}  // namespace parity::optimized::cuda

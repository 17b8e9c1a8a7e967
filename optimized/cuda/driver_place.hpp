// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// GPUs as places.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "optimized/cuda/driver.hpp"
#include "optimized/cuda/driver_failures.hpp"
#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {

/// One GPU, in the driver's primary context: pointers of other libraries in this process are valid here.
class DriverPlace final : public CudaPlace {
 public:
  explicit DriverPlace(int device);

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::shared_ptr<std::byte[]> allocate(size_t bytes, size_t alignment) override;
  void write(std::byte* target, const std::byte* host, size_t bytes) override;
  void read(std::byte* host, const std::byte* source, size_t bytes) const override;
  void fill(std::byte* target, size_t bytes, std::span<const std::byte> pattern) override;
  void clear(std::byte* target, size_t bytes) override;
  [[nodiscard]] void* stream() const override { return stream_; }
  void wait() const override;
  /// By the GPU's clock, as a graph: without the time in which the host prepares launches. Work that a graph cannot hold,
  /// as it waits for a result, is timed with its host part, and stderr says so.
  [[nodiscard]] double seconds(const std::function<void()>& work) const override;
  [[nodiscard]] std::unique_ptr<Recorded> record(const std::function<void()>& work) override;
  [[nodiscard]] std::optional<Room> room() const override;
  int64_t flush(std::span<std::byte> memory) const override;
  void launch(const Launch& what, std::span<const std::byte> parameters) override;
  [[nodiscard]] int capability() const override { return capability_; }
  [[nodiscard]] TensorMap tensor_map(const TensorBoxes& boxes) const override;

 private:
  struct Function {
    void* handle = nullptr;
    uint32_t dynamic_shared = 0;  // bytes that it was told to allow
    size_t parameters = 0;        // bytes
  };
  struct Interval;
  class Graph;

  void enter() const;  // the context of the calling thread; throws if the GPU failed before
  void require(int status, const char* what) const { failures_.require(status, what); }
  void require_no_capture(const char* what) const;
  [[nodiscard]] void* module(const std::string& name);
  [[nodiscard]] const Function& function(const Launch& what);
  /// Error{unsupported} if a graph cannot hold the work.
  [[nodiscard]] std::unique_ptr<Graph> captured(const std::function<void()>& work) const;
  void store(std::byte* target, const std::byte* host, size_t bytes);
  /// To the stretch that is being captured, or to what happened.
  void note(const PlaceTraffic& more) const;

  const Driver& driver_;
  int capability_ = 0, cache_ = 0;  // bytes of L2
  void *context_ = nullptr, *stream_ = nullptr;
  std::string name_;
  std::mutex mutex_;
  std::map<std::string, void*> modules_;
  std::map<std::pair<std::string, std::string>, Function> functions_;
  mutable DriverFailures failures_;
  mutable DevicePointer other_ = 0;  // memory that flush() writes
  mutable Graph* capturing_ = nullptr;
};

[[nodiscard]] bool has_driver();
/// The GPU of a rank: ranks share the GPUs out in turn. Error{device} where there is none.
[[nodiscard]] DriverPlace& driver_place(int rank);

}  // namespace parity::optimized::cuda

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Where tensors live and kernels run: the host's memory, or a device's. Code outside of a place copies through it; only the
// place itself and the kernels that run there touch the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace parity {

class Place {
 public:
  static constexpr size_t kAlignment = 64;  // bytes: a line of a cache, the widest vector

  Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  virtual ~Place() = default;

  [[nodiscard]] virtual std::string name() const = 0;  // "host", "cuda:0"
  /// Whether code that runs on the host may read and write this memory directly.
  [[nodiscard]] virtual bool is_host_memory() const = 0;

  /// Uninitialised memory, freed with its last owner; never null. `alignment` is a power of two. std::bad_alloc or
  /// Error{device} when there is not so much.
  [[nodiscard]] virtual std::shared_ptr<std::byte[]> allocate(size_t bytes, size_t alignment = kAlignment) = 0;
  /// Host to place. Source and target do not overlap, here and below.
  virtual void write(std::byte* target, const std::byte* host, size_t bytes) = 0;
  /// Place to host, after everything that was queued on the stream.
  virtual void read(std::byte* host, const std::byte* source, size_t bytes) const = 0;
  /// `pattern`, repeated; the last copy may be cut.
  virtual void fill(std::byte* target, size_t bytes, std::span<const std::byte> pattern) = 0;

  /// What kernels are queued on: a cudaStream_t on a CUDA device, null on the host, which runs them at once.
  [[nodiscard]] virtual void* stream() const { return nullptr; }
  /// Until all that is queued is done. Error{device} when a kernel failed.
  virtual void wait() const {}
  /// Seconds from an idle place to an idle place, with `work` between.
  [[nodiscard]] virtual double seconds(const std::function<void()>& work) const;
  /// Moves the bytes out of every cache. How many lines; 0 where nothing does that.
  virtual int64_t flush(std::span<std::byte> memory) const = 0;
};

/// The memory of this process.
[[nodiscard]] Place& host();

}  // namespace parity

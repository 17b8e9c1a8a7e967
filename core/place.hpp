// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A place is memory in which tensors are stored, with the kernels that run on it: the host's memory, or a device's.
// Other code copies through the place; only the place and its kernels access the bytes directly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace parity {

/// What a place whose memory the host cannot touch copied and started so far.
struct PlaceTraffic {
  int64_t written = 0, read = 0;  // bytes from the host's memory, and to it
  int64_t launches = 0;           // of kernels, those of graphs included
  int64_t graph_launches = 0;

  PlaceTraffic& operator+=(const PlaceTraffic& other);
  PlaceTraffic& operator-=(const PlaceTraffic& other);
};

/// Work that a place recorded (a graph). It runs at each launch, on the addresses with which it was recorded.
class Recorded {
 public:
  Recorded() = default;
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;
  virtual ~Recorded() = default;

  /// Runs the work and waits until the place has finished. Throws Error{device} when a kernel failed.
  virtual void launch() = 0;
  /// Seconds that a launch takes, by the clock of the place.
  [[nodiscard]] virtual double seconds() = 0;
};

class Place {
 public:
  static constexpr size_t kAlignment = 64;  // bytes: a cache line, and the widest vector

  Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  virtual ~Place() = default;

  [[nodiscard]] virtual std::string name() const = 0;  // "host", "cuda:0"
  /// Whether code that runs on the host may read and write this memory directly.
  [[nodiscard]] virtual bool is_host_memory() const = 0;

  /// Uninitialised memory, freed with its last owner; never null. `alignment` is a power of two. Throws std::bad_alloc
  /// or Error{device} when less than `bytes` are free.
  [[nodiscard]] virtual std::shared_ptr<std::byte[]> allocate(size_t bytes, size_t alignment = kAlignment) = 0;
  /// Copies `bytes` from the host's memory to the place. Source and target must not overlap.
  virtual void write(std::byte* target, const std::byte* host, size_t bytes) = 0;
  /// Copies `bytes` from the place to the host's memory, after all work on the stream. The two must not overlap.
  virtual void read(std::byte* host, const std::byte* source, size_t bytes) const = 0;
  /// Fills `bytes` at `target` with copies of `pattern`; the last copy may be cut off.
  virtual void fill(std::byte* target, size_t bytes, std::span<const std::byte> pattern) = 0;
  /// Fills bytes that no kernel may read or write. A place that checks kernels reports the access itself.
  virtual void guard(std::byte* target, size_t bytes, std::span<const std::byte> pattern) {
    fill(target, bytes, pattern);
  }

  /// The stream on which kernels are queued: a cudaStream_t on a CUDA device; null on the host, where they run at once.
  [[nodiscard]] virtual void* stream() const { return nullptr; }
  /// Waits until all queued work is finished. Throws Error{device} when a kernel failed.
  virtual void wait() const {}
  /// Seconds that `work` takes, from an idle place until the place is idle again.
  [[nodiscard]] virtual double seconds(const std::function<void()>& work) const;
  /// Records `work` without running it; null where nothing can be recorded, as on the host. Memory that the work uses must
  /// outlive the result. Throws Error{unsupported} when a part cannot be recorded: it takes memory, or reads a result.
  [[nodiscard]] virtual std::unique_ptr<Recorded> record(const std::function<void()>& work);
  /// Bytes of memory.
  struct Room {
    int64_t free = 0, total = 0;
  };
  /// Nothing where the memory is this machine's.
  [[nodiscard]] virtual std::optional<Room> room() const { return std::nullopt; }
  /// Zeros on the host.
  [[nodiscard]] virtual PlaceTraffic traffic() const { return {}; }
  /// Evicts the bytes from every cache. Returns the number of cache lines, or 0 if the place cannot do that.
  virtual int64_t flush(std::span<std::byte> memory) const = 0;
};

/// The memory of this process.
[[nodiscard]] Place& host();

}  // namespace parity

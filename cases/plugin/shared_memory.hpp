// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Memory that the judge and a worker both map. The worker cannot change its size.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parity::cases {

class SharedMemory {
 public:
  enum class Worker : uint8_t { reads, writes };

  /// Memory of this size, filled with zeros; pages are taken when they are used. What the worker reads it cannot map
  /// for writing. Error{device} if the system lacks this.
  SharedMemory(size_t bytes, Worker worker);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] size_t bytes() const { return bytes_; }
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  size_t bytes_;
  int descriptor_ = -1;
  std::byte* data_ = nullptr;
};

}  // namespace parity::cases

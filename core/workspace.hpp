// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Scratch memory of one call of a kernel.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "core/error.hpp"

namespace parity {

/// Where a kernel gets scratch memory from. A block holds no particular bytes, is the kernel's own until its call returns,
/// and may not be kept: the next call takes anew. Not for several threads at once: take before the work is shared out.
/// A backend whose memory is a device's gives its own.
class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  virtual ~Workspace() = default;

  static constexpr size_t kAlignment = 64;  // bytes: a line of a cache, the widest vector
  /// Never null; distinct blocks do not overlap. `alignment` is a power of two.
  [[nodiscard]] std::byte* take(size_t bytes, size_t alignment = kAlignment) {
    PARITY_CHECK(alignment > 0 && (alignment & (alignment - 1)) == 0, internal,
                 "a workspace aligned to {} bytes is asked for; alignments are powers of two", alignment);
    return allocate(bytes, alignment);
  }
  /// `count` elements of a plain type.
  template <class T>
  [[nodiscard]] T* take_elements(size_t count) {
    return reinterpret_cast<T*>(take(count * sizeof(T), alignof(T) > kAlignment ? alignof(T) : kAlignment));
  }

 private:
  [[nodiscard]] virtual std::byte* allocate(size_t bytes, size_t alignment) = 0;
};

/// Bytes that lie aligned.
class AlignedBytes {
 public:
  AlignedBytes(size_t bytes, size_t alignment)
      : data_(static_cast<std::byte*>(::operator new(bytes == 0 ? 1 : bytes, std::align_val_t(alignment))),
              Free{std::align_val_t(alignment)}) {}
  [[nodiscard]] std::byte* data() const { return data_.get(); }

 private:
  struct Free {
    std::align_val_t alignment;
    void operator()(std::byte* data) const { ::operator delete(data, alignment); }
  };
  std::unique_ptr<std::byte, Free> data_;
};

/// Host memory, kept until the workspace dies.
class HostWorkspace final : public Workspace {
 private:
  [[nodiscard]] std::byte* allocate(size_t bytes, size_t alignment) override {
    return blocks_.emplace_back(bytes, alignment).data();
  }

  std::vector<AlignedBytes> blocks_;
};

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Scratch memory of one call of a kernel.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/error.hpp"
#include "core/place.hpp"

namespace parity {

/// Scratch memory for a kernel, at the place where the kernel runs. A block is uninitialised, and valid until the
/// kernel's call returns. Not thread-safe: a kernel takes its blocks before it starts threads.
class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  virtual ~Workspace() = default;

  static constexpr size_t kAlignment = Place::kAlignment;
  /// A block of `bytes` bytes; never null, and disjoint from other blocks. `alignment` must be a power of two.
  [[nodiscard]] std::byte* take(size_t bytes, size_t alignment = kAlignment) {
    PARITY_CHECK(alignment > 0 && (alignment & (alignment - 1)) == 0, internal,
                 "a workspace aligned to {} bytes is asked for; alignments are powers of two", alignment);
    return allocate(bytes, alignment);
  }
  /// A block for `count` elements of a trivial type.
  template <class T>
  [[nodiscard]] T* take_elements(size_t count) {
    return reinterpret_cast<T*>(take(count * sizeof(T), alignof(T) > kAlignment ? alignof(T) : kAlignment));
  }

 private:
  [[nodiscard]] virtual std::byte* allocate(size_t bytes, size_t alignment) = 0;
};

/// A workspace with memory of a place, which is freed with the workspace.
class PlaceWorkspace final : public Workspace {
 public:
  explicit PlaceWorkspace(Place& place = host()) : place_(place) {}

 private:
  [[nodiscard]] std::byte* allocate(size_t bytes, size_t alignment) override {
    return blocks_.emplace_back(place_.allocate(bytes, alignment)).get();
  }

  Place& place_;
  std::vector<std::shared_ptr<std::byte[]>> blocks_;
};

}  // namespace parity

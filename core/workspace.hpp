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

/// Where a kernel gets scratch memory from, at the place where it runs. A block is uninitialised and the kernel's own until
/// its call returns; the next call takes new ones. Not for several threads at once: take before the work is shared out.
class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  virtual ~Workspace() = default;

  static constexpr size_t kAlignment = Place::kAlignment;
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

/// Memory of a place, kept until the workspace dies.
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

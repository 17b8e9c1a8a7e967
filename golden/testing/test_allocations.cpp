// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Replaces every operator new of the test program, so that tests can measure the memory that a file makes it allocate.
// All forms are replaced together, because the address sanitizer has its own; a block must be freed by its allocator.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "golden/testing/test_support.hpp"

namespace {

std::atomic<size_t> largest{0};

void* take(size_t size) noexcept {
  size_t seen = largest.load();
  while (size > seen && !largest.compare_exchange_weak(seen, size)) {}
  return std::malloc(std::max<size_t>(size, 1));
}

void* take_or_throw(size_t size) {
  void* memory = take(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t size) { return take_or_throw(size); }
void* operator new[](size_t size) { return take_or_throw(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return take(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return take(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace parity::golden::test {

size_t largest_allocation() { return largest.load(); }
void reset_largest_allocation() { largest = 0; }

}  // namespace parity::golden::test

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Every operator new of the test program passes here, so that tests can see how much a file makes it take.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "golden/test_support.hpp"

namespace {
std::atomic<size_t> largest{0};
}  // namespace

void* operator new(size_t size) {
  size_t seen = largest.load();
  while (size > seen && !largest.compare_exchange_weak(seen, size)) {
  }
  if (void* memory = std::malloc(std::max<size_t>(size, 1))) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace parity::golden::test {

size_t largest_allocation() { return largest.load(); }
void reset_largest_allocation() { largest = 0; }

}  // namespace parity::golden::test

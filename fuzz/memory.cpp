// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/memory.hpp"

#include <atomic>
#include <cstddef>

#ifdef __SANITIZE_ADDRESS__
// As in sanitizer/allocator_interface.h, which GCC's packages lack.
extern "C" size_t __sanitizer_get_allocated_size(const volatile void* memory);
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*, size_t),
                                                         void (*free_hook)(const volatile void*));
#endif

namespace parity::fuzz {
namespace {

std::atomic<int64_t> g_live{0}, g_start{0}, g_peak{0};  // bytes

#ifdef __SANITIZE_ADDRESS__
void on_malloc(const volatile void*, size_t bytes) {
  const int64_t live =
      g_live.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed) + static_cast<int64_t>(bytes);
  int64_t peak = g_peak.load(std::memory_order_relaxed);
  while (live > peak && !g_peak.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {}
}

void on_free(const volatile void* memory) {
  if (memory == nullptr) return;
  const auto bytes = static_cast<int64_t>(__sanitizer_get_allocated_size(memory));
  g_live.fetch_sub(bytes, std::memory_order_relaxed);
}
#endif

}  // namespace

bool count_allocations() {
#ifdef __SANITIZE_ADDRESS__
  return __sanitizer_install_malloc_and_free_hooks(&on_malloc, &on_free) != 0;
#else
  return false;
#endif
}

void forget_peak() {
  g_start = g_live.load();
  g_peak = g_live.load();
}

int64_t peak_bytes() { return g_peak - g_start; }

}  // namespace parity::fuzz

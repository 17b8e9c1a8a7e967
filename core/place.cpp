// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/place.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <new>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace parity {
namespace {

#if defined(__x86_64__)
constexpr int64_t kLine = 64;
using FlushLines = int64_t (*)(std::byte* data, int64_t bytes);

int64_t flush_in_order(std::byte* data, int64_t bytes) {
  int64_t lines = 0;
  for (int64_t at = 0; at < bytes; at += kLine, ++lines) _mm_clflush(data + at);
  return lines;
}

/// Flushes without waiting for a line before the next one. Returns the number of lines.
[[gnu::target("clflushopt")]] int64_t flush_freely(std::byte* data, int64_t bytes) {
  int64_t lines = 0;
  for (int64_t at = 0; at < bytes; at += kLine, ++lines) _mm_clflushopt(data + at);
  return lines;
}

FlushLines flush_of_this_processor() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool free = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_CLFLUSHOPT) != 0;
  return free ? &flush_freely : &flush_in_order;
}

int64_t flush_lines(std::span<std::byte> memory) {
  // Flushing starts at the cache line of the first byte, because an operand need not start at a line.
  const auto into_line = static_cast<int64_t>(std::bit_cast<uintptr_t>(memory.data()) % kLine);
  std::byte* data = memory.data() - into_line;
  const auto bytes = static_cast<int64_t>(memory.size()) + into_line;
  static const FlushLines lines = flush_of_this_processor();
  constexpr int64_t kPiece = int64_t{1} << 18;
  int64_t total = 0;
#pragma omp parallel reduction(+ : total)
  {
#pragma omp for schedule(static)
    for (int64_t at = 0; at < bytes; at += kPiece) total += lines(data + at, std::min(kPiece, bytes - at));
    _mm_mfence();  // each thread waits for its own flushes
  }
  return total;
}
#else
int64_t flush_lines(std::span<std::byte>) { return 0; }
#endif

class Host final : public Place {
 public:
  [[nodiscard]] std::string name() const override { return "host"; }
  [[nodiscard]] bool is_host_memory() const override { return true; }

  [[nodiscard]] std::shared_ptr<std::byte[]> allocate(size_t bytes, size_t alignment) override {
    const auto aligned = std::align_val_t(alignment);
    auto* data = static_cast<std::byte*>(::operator new(std::max<size_t>(bytes, 1), aligned));
    return {data, [aligned](std::byte* memory) { ::operator delete(memory, aligned); }};
  }
  void write(std::byte* target, const std::byte* host, size_t bytes) override { copy(target, host, bytes); }
  void read(std::byte* host, const std::byte* source, size_t bytes) const override { copy(host, source, bytes); }
  void fill(std::byte* target, size_t bytes, std::span<const std::byte> pattern) override {
    if (pattern.size() == 1) {
      if (bytes > 0) std::memset(target, static_cast<int>(pattern.front()), bytes);
      return;
    }
    for (size_t at = 0; at < bytes; at += pattern.size())
      std::memcpy(target + at, pattern.data(), std::min(pattern.size(), bytes - at));
  }
  int64_t flush(std::span<std::byte> memory) const override { return flush_lines(memory); }

 private:
  static void copy(std::byte* target, const std::byte* source, size_t bytes) {
    if (bytes > 0) std::memcpy(target, source, bytes);
  }
};

}  // namespace

PlaceTraffic& PlaceTraffic::operator+=(const PlaceTraffic& other) {
  written += other.written;
  read += other.read;
  launches += other.launches;
  graph_launches += other.graph_launches;
  return *this;
}

PlaceTraffic& PlaceTraffic::operator-=(const PlaceTraffic& other) {
  return *this += {-other.written, -other.read, -other.launches, -other.graph_launches};
}

std::unique_ptr<Recorded> Place::record(const std::function<void()>&) { return nullptr; }

double Place::seconds(const std::function<void()>& work) const {
  wait();
  const auto start = std::chrono::steady_clock::now();
  work();
  wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Place& host() {
  static Host instance;
  return instance;
}

}  // namespace parity

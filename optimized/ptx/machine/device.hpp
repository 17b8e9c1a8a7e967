// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Global memory. No address is allocated twice, so that an access after a free is always recognised.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parity::ptx {

class Program;
struct ShadowPage;

/// What new memory holds.
enum class Fresh : uint8_t {
  poison,  // bytes of 0xFF (a NaN in every format) that count as unwritten
  zeros,   // pages that nobody accesses take no memory of the host; what was written is not tracked: no checks
};

/// What the checks know of a byte: `outside` belongs to an allocation, but to no tensor in it.
struct Mark {
  enum Byte : uint8_t { unwritten, written, in_flight, outside };
};

struct Free {
  void operator()(uint8_t* data) const { std::free(data); }
};

struct Allocation {
  uint64_t base = 0, bytes = 0;
  bool freed = false, read_only = false;
  std::string name;              // of a variable
  uint64_t first = 0, last = 0;  // the bytes between its guards, where it is tracked
  std::unique_ptr<uint8_t[], Free> data;
  std::vector<uint8_t> written;                    // a Mark of each byte; empty where it is not tracked
  std::vector<std::unique_ptr<ShadowPage>> pages;  // who accessed it, in the launch that runs
  Allocation();
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;
};

class Device {
 public:
  explicit Device(Fresh fresh = Fresh::poison) : fresh_(fresh) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Whether bytes that nobody wrote can be told.
  [[nodiscard]] bool tracks() const { return fresh_ == Fresh::poison; }

  /// Aligned to 256. std::bad_alloc where the host has no room.
  [[nodiscard]] uint64_t allocate(uint64_t bytes);
  /// Throws Error{usage} if this is not the address of a living allocation.
  void free(uint64_t address);
  /// Throws Error{usage} if the bytes are not within one allocation.
  void write(uint64_t address, const void* from, uint64_t bytes);
  /// Sets what the checks know of the bytes.
  void mark(uint64_t address, uint64_t bytes, Mark::Byte mark);
  void read(uint64_t address, void* to, uint64_t bytes) const;

  template <class T>
  [[nodiscard]] uint64_t upload(std::span<const T> values) {
    const uint64_t address = allocate(values.size_bytes());
    write(address, values.data(), values.size_bytes());
    return address;
  }
  template <class T>
  [[nodiscard]] std::vector<T> download(uint64_t address, size_t count) const {
    std::vector<T> values(count);
    read(address, values.data(), count * sizeof(T));
    return values;
  }

  /// Returns the address of a .global or .const variable. The variables of a program are created at its first use here.
  /// Error{not_found}.
  [[nodiscard]] uint64_t symbol(const Program& program, std::string_view name);
  [[nodiscard]] const std::map<std::string, uint64_t>& symbols(const Program& program);

  /// Returns the last allocation that begins at or before the address, freed or not; null if there is none.
  [[nodiscard]] Allocation* nearest(uint64_t address) const;
  [[nodiscard]] const std::vector<std::unique_ptr<Allocation>>& allocations() const { return allocations_; }

 private:
  [[nodiscard]] Allocation& within(uint64_t address, uint64_t bytes) const;

  std::vector<std::unique_ptr<Allocation>> allocations_;                            // in the order of their addresses
  std::map<std::shared_ptr<const char>, std::map<std::string, uint64_t>> symbols_;  // by Program::identity()
  uint64_t next_ = uint64_t{0x7000} << 32U;
  Fresh fresh_;
};

}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The bytes of an HDF5 file and checked little-endian access to them. Files may come from anyone, and libhdf5 1.10
// crashes on one in twenty randomly damaged files, so this folder reads them itself (docs/adr: own HDF5 reader).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace parity::golden::hdf5 {

using ByteSpan = std::span<const std::byte>;

constexpr uint64_t kNowhere = ~uint64_t{0};  // HDF5's undefined address

/// Reads forward through a range of bytes. Throws Error{schema} at its end.
class Cursor {
 public:
  explicit Cursor(ByteSpan bytes) : bytes_(bytes) {}

  [[nodiscard]] uint64_t left() const { return bytes_.size() - position_; }
  [[nodiscard]] uint64_t position() const { return position_; }
  ByteSpan take(uint64_t count);
  void skip(uint64_t count) { take(count); }
  uint64_t number(uint64_t width);  // a number of 0 to 8 bytes
  uint8_t u8() { return static_cast<uint8_t>(number(1)); }
  uint16_t u16() { return static_cast<uint16_t>(number(2)); }
  uint32_t u32() { return static_cast<uint32_t>(number(4)); }
  uint64_t u64() { return number(8); }
  /// Throws Error{schema} unless the next bytes are `signature`.
  void expect(std::string_view signature);
  /// Throws Error{schema} unless the next byte, a version, is `value`.
  void expect_version(uint8_t value, const char* what);

 private:
  ByteSpan bytes_;
  uint64_t position_ = 0;
};

/// The bytes of the whole file.
class Image {
 public:
  explicit Image(ByteSpan bytes) : bytes_(bytes) {}

  [[nodiscard]] uint64_t size() const { return bytes_.size(); }
  /// The bytes of a range. Throws Error{schema} when the range is not inside the file.
  [[nodiscard]] ByteSpan range(uint64_t address, uint64_t length) const;
  [[nodiscard]] Cursor from(uint64_t address) const {
    return Cursor(range(address, size() - std::min(address, size())));
  }
  /// A range whose last four bytes are the checksum of the others. Throws Error{checksum} if they are not.
  [[nodiscard]] ByteSpan checked_range(uint64_t address, uint64_t length) const;

 private:
  ByteSpan bytes_;
};

/// The addresses of a structure's nodes. enter() throws for a known address, because a damaged file could form a cycle.
class Once {
 public:
  void enter(uint64_t address);

 private:
  std::set<uint64_t> seen_;
};

/// Bob Jenkins' lookup3, which HDF5 uses for all its metadata.
[[nodiscard]] uint32_t checksum(ByteSpan bytes);

/// Bytes needed for numbers up to `limit`, as HDF5 counts them.
[[nodiscard]] uint64_t width_for(uint64_t limit);

}  // namespace parity::golden::hdf5

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/hdf5/image.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace parity::golden::hdf5 {

ByteSpan Cursor::take(uint64_t count) {
  PARITY_CHECK(count <= left(), schema, "{} bytes are needed, but only {} are left; the file is damaged, copy it again",
               count, left());
  const ByteSpan result = bytes_.subspan(position_, count);
  position_ += count;
  return result;
}

uint64_t Cursor::number(uint64_t width) {
  PARITY_CHECK(width <= sizeof(uint64_t), schema,
               "the file states integers of {} bytes (at most 8 are possible), so it is damaged; copy it again", width);
  uint64_t value = 0;
  if (width > 0) std::memcpy(&value, take(width).data(), width);  // machine and file are little-endian
  return value;
}

static_assert(std::endian::native == std::endian::little);

void Cursor::expect(std::string_view signature) {
  const uint64_t at = position_;
  const bool equal = std::memcmp(take(signature.size()).data(), signature.data(), signature.size()) == 0;
  PARITY_CHECK(equal, schema,
               "the signature '{}' is missing at byte {} of an HDF5 block; the file is damaged, copy it again",
               signature, at);
}

void Cursor::expect_version(uint8_t value, const char* what) {
  const uint8_t found = u8();
  PARITY_CHECK(found == value, schema,
               "{} has version {}, but only version {} can be read; the file is damaged, copy it again, or repack it "
               "with h5repack",
               what, found, value);
}

ByteSpan Image::range(uint64_t address, uint64_t length) const {
  PARITY_CHECK(address <= size() && length <= size() - address, schema,
               "{} bytes at {} are not in the file of {} bytes; copy it again", length, address, size());
  return bytes_.subspan(address, length);
}

ByteSpan Image::checked_range(uint64_t address, uint64_t length) const {
  const ByteSpan bytes = range(address, length);
  PARITY_CHECK(length >= 4, schema, "a block of {} bytes at {} is too short; the file is damaged, copy it again",
               length, address);
  const uint32_t stored = Cursor(bytes.last(4)).u32();
  PARITY_CHECK(checksum(bytes.first(length - 4)) == stored, checksum,
               "the checksum of the {} bytes at {} is wrong: the file is damaged; copy it again", length, address);
  return bytes;
}

void Once::enter(uint64_t address) {
  PARITY_CHECK(seen_.insert(address).second, schema,
               "the block at {} is part of itself; the file is damaged, copy it again", address);
}

uint32_t checksum(ByteSpan bytes) {
  const auto initial = 0xDEADBEEFU + static_cast<uint32_t>(bytes.size());
  uint32_t a = initial;
  uint32_t b = initial;
  uint32_t c = initial;
  if (bytes.empty()) return c;
  const auto mix = [](uint32_t& x, uint32_t y, uint32_t& z, int bits) {
    x = (x - z) ^ std::rotl(z, bits);
    z += y;
  };
  while (true) {
    std::array<uint32_t, 3> words{};
    const size_t taken = std::min<size_t>(bytes.size(), sizeof words);
    std::memcpy(words.data(), bytes.data(), taken);
    a += words[0];
    b += words[1];
    c += words[2];
    if (bytes.size() <= sizeof words) break;
    bytes = bytes.subspan(sizeof words);
    mix(a, b, c, 4), mix(b, c, a, 6), mix(c, a, b, 8);
    mix(a, b, c, 16), mix(b, c, a, 19), mix(c, a, b, 4);
  }
  const auto finish = [](uint32_t& x, uint32_t y, int bits) { x = (x ^ y) - std::rotl(y, bits); };
  finish(c, b, 14), finish(a, c, 11), finish(b, a, 25);
  finish(c, b, 16), finish(a, c, 4), finish(b, a, 14), finish(c, b, 24);
  return c;
}

uint64_t width_for(uint64_t limit) {
  return limit == 0 ? 1 : (static_cast<uint64_t>(std::bit_width(limit)) - 1) / 8 + 1;
}

}  // namespace parity::golden::hdf5

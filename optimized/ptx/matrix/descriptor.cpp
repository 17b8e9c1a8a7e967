// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/matrix/descriptor.hpp"

#include <array>

#include "core/error.hpp"

namespace parity::ptx {
namespace {

constexpr uint64_t kField = 0x3FFF;
constexpr uint64_t kReserved = ~(kField | kField << 16 | kField << 32 | uint64_t{7} << 49 | uint64_t{3} << 62);
constexpr uint32_t kSharedWindow = uint32_t{1} << 18;  // of matrix-descriptor-encode

/// A 14-bit field in units of 16 bytes.
uint32_t offset_field(uint64_t bits, int first) { return static_cast<uint32_t>(bits >> first & 0x3FFFU) << 4; }

}  // namespace

MatrixDescriptor decode_descriptor(uint64_t bits) {
  constexpr std::array<Swizzle, 4> kSwizzles{Swizzle::none, Swizzle::b128, Swizzle::b64, Swizzle::b32};
  PARITY_CHECK(
      (bits & kReserved) == 0, schema,
      "matrix descriptor {:#018x} has bits outside of its fields ({:#018x}); set bits 0-13, 16-29, 32-45, 49-51 "
      "and 62-63 alone",
      bits, bits & kReserved);
  MatrixDescriptor descriptor{offset_field(bits, 0), offset_field(bits, 16), offset_field(bits, 32),
                              static_cast<uint32_t>(bits >> 49 & 7U), kSwizzles[bits >> 62]};
  PARITY_CHECK(descriptor.swizzle != Swizzle::none || descriptor.base == 0, schema,
               "matrix descriptor {:#018x} has base offset {} without a swizzle; set bits 49-51 to zero", bits,
               descriptor.base);
  return descriptor;
}

void check_operand(const MatrixDescriptor& descriptor, Major major, MatrixType type, int extent) {
  const bool transposable = type == MatrixType::f16 || type == MatrixType::bf16;
  PARITY_CHECK(major == Major::k || transposable, unsupported,
               "wgmma reads .{} operands K-major alone; only .f16 and .bf16 have imm-trans", to_string(type));
  const uint32_t span = span_of(descriptor.swizzle);
  if (span == 0) return;
  const uint32_t within = descriptor.start % span;
  const uint32_t bytes = major == Major::k ? 32 : static_cast<uint32_t>(extent * bits_of(type) / 8);
  PARITY_CHECK(within == 0 || within + bytes <= span, schema,
               "matrix descriptor starts at byte {} of a {}-byte row of its swizzle and reads {} bytes along it; start "
               "where they fit",
               within, span, bytes);
}

uint32_t operand_address(const MatrixDescriptor& descriptor, Major major, MatrixType type, int mn, int k) {
  const auto row = static_cast<uint32_t>(mn);
  const auto column = static_cast<uint32_t>(k);
  const auto bits = static_cast<uint32_t>(bits_of(type));
  const uint32_t span = span_of(descriptor.swizzle);
  uint32_t offset = 0;
  if (major == Major::k) {
    const uint32_t x = column * bits / 8;
    offset = row / 8 * descriptor.stride;
    offset += span == 0 ? row % 8 * 16 + x % 16 + x / 16 * descriptor.leading : row % 8 * span + x;
  } else {
    const uint32_t x = row * bits / 8;
    if (span == 0) {
      offset = x % 16 + x / 16 * descriptor.stride + column % 8 * 16 + column / 8 * descriptor.leading;
    } else {
      offset = x % span + x / span * descriptor.leading + column % 8 * span + column / 8 * descriptor.stride;
    }
  }
  return swizzled(descriptor.swizzle, (descriptor.start + offset) % kSharedWindow, descriptor.base);
}

}  // namespace parity::ptx

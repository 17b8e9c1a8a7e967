// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Descriptors against the examples of PTX ISA 9.7.15.5.1.2.1.3 and the swizzle tables of 5.5.7.
#include "optimized/ptx/matrix/descriptor.hpp"

#include <array>
#include <set>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "optimized/ptx/matrix/warpgroup_fragment.hpp"

namespace parity::ptx {
namespace {

uint64_t bits_of_fields(uint64_t start, uint64_t leading, uint64_t stride, uint64_t base, uint64_t mode) {
  return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | base << 49 | mode << 62;
}

TEST(Swizzle, PermutesAsTheTablesOfTheIsaSay) {
  // Row r of a table holds, at place p, the number of the 16-byte chunk that lies there.
  constexpr std::array<std::array<uint32_t, 8>, 8> k128{{{0, 1, 2, 3, 4, 5, 6, 7},
                                                         {1, 0, 3, 2, 5, 4, 7, 6},
                                                         {2, 3, 0, 1, 6, 7, 4, 5},
                                                         {3, 2, 1, 0, 7, 6, 5, 4},
                                                         {4, 5, 6, 7, 0, 1, 2, 3},
                                                         {5, 4, 7, 6, 1, 0, 3, 2},
                                                         {6, 7, 4, 5, 2, 3, 0, 1},
                                                         {7, 6, 5, 4, 3, 2, 1, 0}}};
  constexpr std::array<std::array<uint32_t, 8>, 4> k128Atom32{
      {{0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 6, 7, 4, 5}, {4, 5, 6, 7, 0, 1, 2, 3}, {6, 7, 4, 5, 2, 3, 0, 1}}};
  for (uint32_t row = 0; row < 16; ++row) {
    for (uint32_t place = 0; place < 8; ++place) {
      const uint32_t line = 128 * row;
      const auto at = [&](uint32_t chunk) { return line + 16 * chunk; };
      EXPECT_EQ(swizzled(Swizzle::b128, at(k128[row % 8][place])), at(place));
      EXPECT_EQ(swizzled(Swizzle::b64, at(k128[row % 4][place])), at(place));
      EXPECT_EQ(swizzled(Swizzle::b32, at(k128[row % 2][place])), at(place));
      EXPECT_EQ(swizzled(Swizzle::b128_atom32, at(k128Atom32[row % 4][place])), at(place));
      EXPECT_EQ(swizzled(Swizzle::b128_atom64, at(row % 2 == 0 ? place : place ^ 4U)), at(place));
      EXPECT_EQ(swizzled(Swizzle::none, at(place)), at(place));
    }
  }
  EXPECT_EQ(swizzled(Swizzle::b128, 3 * 128 + 5, 3), 3 * 128U + 5);  // the pattern begins at line 3
}

TEST(MatrixDescriptorBits, HoldOffsetsInUnitsOfSixteenBytes) {
  const MatrixDescriptor got = decode_descriptor(bits_of_fields(0x12340, 0x400, 0x80, 5, 1));

  EXPECT_EQ(got.start, 0x12340U);
  EXPECT_EQ(got.leading, 0x400U);
  EXPECT_EQ(got.stride, 0x80U);
  EXPECT_EQ(got.base, 5U);
  EXPECT_EQ(got.swizzle, Swizzle::b128);
  EXPECT_EQ(decode_descriptor(uint64_t{3} << 62).swizzle, Swizzle::b32);
}

TEST(MatrixDescriptorBits, ThatMeanNothingAreRefused) {
  for (const int bit : {14, 15, 30, 31, 46, 47, 48, 52, 60, 61}) {
    EXPECT_THROW(static_cast<void>(decode_descriptor(uint64_t{1} << bit)), Error) << bit;
  }
  EXPECT_THROW(static_cast<void>(decode_descriptor(bits_of_fields(0, 16, 16, 1, 0))), Error);
}

/// Sizes and strides of the parts of one dimension, in elements.
template <size_t N>
using Parts = std::array<std::array<uint32_t, 2>, N>;

/// Element (row, column) of a CuTe layout ((s0, ...), (t0, ...)) : strides, as the ISA writes its examples.
template <size_t N, size_t M>
uint32_t cute_offset(const Parts<N>& rows, const Parts<M>& columns, uint32_t row, uint32_t column) {
  uint32_t offset = 0;
  for (const auto& [size, stride] : rows) {
    offset += row % size * stride;
    row /= size;
  }
  for (const auto& [size, stride] : columns) {
    offset += column % size * stride;
    column /= size;
  }
  return offset;
}

TEST(OperandAddress, IsThatOfTheIsasKMajorExamples) {
  const auto none = decode_descriptor(bits_of_fields(0, 64 * 4, 32 * 4, 0, 0));
  const auto b32 = decode_descriptor(bits_of_fields(0, 16, 64 * 4, 0, 3));
  for (uint32_t row = 0; row < 16; ++row) {
    for (uint32_t k = 0; k < 8; ++k) {
      const auto at = [&](const MatrixDescriptor& d) {
        return operand_address(d, Major::k, MatrixType::tf32, static_cast<int>(row), static_cast<int>(k));
      };
      // Swizzle<0,4,3> o ((8,2),(4,4)):((4,32),(1,64)) and Swizzle<1,4,3> o ((8,2),(4,4)):((8,64),(1,4)), of 4 bytes.
      const uint32_t unswizzled = 4 * cute_offset<2, 2>({{{8, 4}, {2, 32}}}, {{{4, 1}, {4, 64}}}, row, k);
      EXPECT_EQ(at(none), unswizzled);
      const uint32_t plain = 4 * cute_offset<2, 2>({{{8, 8}, {2, 64}}}, {{{4, 1}, {4, 4}}}, row, k);
      EXPECT_EQ(at(b32), plain ^ ((plain >> 7 & 1U) << 4));
    }
  }
}

TEST(OperandAddress, IsThatOfTheIsasMnMajorExamples) {
  const auto none = decode_descriptor(bits_of_fields(0, 128 * 2, 64 * 2, 0, 0));
  const auto b32 = decode_descriptor(bits_of_fields(0, 128 * 2, 256 * 2, 0, 3));
  const auto b64 = decode_descriptor(bits_of_fields(0, 256 * 2, 512 * 2, 0, 2));
  for (uint32_t mn = 0; mn < 64; ++mn) {
    for (uint32_t k = 0; k < 16; ++k) {
      const auto at = [&](const MatrixDescriptor& d) {
        return operand_address(d, Major::mn, MatrixType::bf16, static_cast<int>(mn), static_cast<int>(k));
      };
      // ((8,1,2),(8,2)):((1,8,64),(8,128)), ((8,2,2),(8,2)):((1,8,128),(16,256)), ((8,4,2),(8,2)):((1,8,256),(32,512))
      if (mn < 16) {
        const uint32_t unswizzled = 2 * cute_offset<3, 2>({{{8, 1}, {1, 8}, {2, 64}}}, {{{8, 8}, {2, 128}}}, mn, k);
        EXPECT_EQ(at(none), unswizzled);
      }
      if (mn < 32) {
        const uint32_t narrow = 2 * cute_offset<3, 2>({{{8, 1}, {2, 8}, {2, 128}}}, {{{8, 16}, {2, 256}}}, mn, k);
        EXPECT_EQ(at(b32), narrow ^ ((narrow >> 7 & 1U) << 4));
      }
      const uint32_t plain = 2 * cute_offset<3, 2>({{{8, 1}, {4, 8}, {2, 256}}}, {{{8, 32}, {2, 512}}}, mn, k);
      EXPECT_EQ(at(b64), plain ^ ((plain >> 7 & 3U) << 4));
    }
  }
}

TEST(OperandAddress, OfA128ByteSwizzledTileCoversItOnceAsKAdvances) {
  // 64 rows of 64 bf16: four steps of k, each 32 bytes further, as kernels advance the start address.
  std::set<uint32_t> seen;
  for (uint32_t step = 0; step < 4; ++step) {
    const auto d = decode_descriptor(bits_of_fields(1024 + 32 * step, 16, 1024, 0, 1));
    check_operand(d, Major::k, MatrixType::bf16, 64);
    for (int row = 0; row < 64; ++row) {
      for (int k = 0; k < 16; ++k) seen.insert(operand_address(d, Major::k, MatrixType::bf16, row, k));
    }
  }
  EXPECT_EQ(seen.size(), 64U * 64);
  EXPECT_EQ(*seen.begin(), 1024U);
  EXPECT_EQ(*seen.rbegin(), 1024U + 64 * 128 - 2);
  const auto second = decode_descriptor(bits_of_fields(1024 + 32, 16, 1024, 0, 1));
  EXPECT_EQ(operand_address(second, Major::k, MatrixType::bf16, 1, 0), 1024U + 128 + 16 * 3);  // chunk 2 of line 1
}

TEST(OperandAddress, CountsLinesFromTheBaseOffset) {
  // A pattern that begins at line 1 of 1024: with base offset 1 its first line is not permuted.
  const auto d = decode_descriptor(bits_of_fields(128, 16, 1024, 1, 1));
  EXPECT_EQ(operand_address(d, Major::k, MatrixType::f16, 0, 8), 128U + 16);
  EXPECT_EQ(operand_address(d, Major::k, MatrixType::f16, 1, 0), 256U + 16);
}

TEST(OperandAddress, OfWhatWgmmaCannotReadIsRefused) {
  const auto d = decode_descriptor(bits_of_fields(1024, 16, 1024, 0, 1));
  EXPECT_THROW(check_operand(d, Major::mn, MatrixType::tf32, 64), Error);
  EXPECT_NO_THROW(check_operand(d, Major::mn, MatrixType::f16, 256));
  const auto late = decode_descriptor(bits_of_fields(1024 + 112, 16, 1024, 0, 1));
  EXPECT_THROW(check_operand(late, Major::k, MatrixType::f16, 64), Error);
  EXPECT_THROW(check_operand(late, Major::mn, MatrixType::f16, 64), Error);
  EXPECT_NO_THROW(check_operand(late, Major::mn, MatrixType::f16, 8));
}

}  // namespace
}  // namespace parity::ptx

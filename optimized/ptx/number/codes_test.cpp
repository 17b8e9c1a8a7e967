// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Codes of every small type against the harness's own conversions, and against tables worked out by hand.
#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "core/dtype.hpp"
#include "core/random.hpp"
#include "optimized/ptx/number/convert.hpp"
#include "optimized/ptx/number/exact.hpp"
#include "optimized/ptx/number/native.hpp"

namespace parity::ptx {
namespace {

double value_of(NumberType type, uint64_t code) {
  return std::bit_cast<double>(encode(NumberType::f64, decode(type, code), RoundingMode::nearest));
}

uint64_t code_of(NumberType type, double x) {
  return encode(type, decode(NumberType::f64, std::bit_cast<uint64_t>(x)), RoundingMode::nearest);
}

double core_value(DType dtype, uint64_t code) {
  std::array<std::byte, 8> bytes{};
  std::memcpy(bytes.data(), &code, sizeof code);
  return load_element(dtype, bytes.data());
}

struct Pair {
  NumberType type;
  DType dtype;
  uint64_t codes;
};

constexpr std::array<Pair, 4> kPairs{{{NumberType::f16, DType::f16, 65536},
                                      {NumberType::bf16, DType::bf16, 65536},
                                      {NumberType::e4m3, DType::e4m3fn, 256},
                                      {NumberType::e5m2, DType::e5m2, 256}}};

TEST(PtxCodes, DecodeAsTheHarnessDecodesThem) {
  for (const Pair& pair : kPairs) {
    for (uint64_t code = 0; code < pair.codes; ++code) {
      const double expected = core_value(pair.dtype, code);
      const double got = value_of(pair.type, code);
      ASSERT_TRUE(std::isnan(expected) ? std::isnan(got)
                                       : std::bit_cast<uint64_t>(expected) == std::bit_cast<uint64_t>(got))
          << to_string(pair.type) << " " << code;
    }
  }
}

TEST(PtxCodes, EncodeEveryNumberAndEveryMidpointAsTheHarnessRounds) {
  for (const Pair& pair : kPairs) {
    for (uint64_t code = 0; code < pair.codes / 2 - 1; ++code) {
      const double x = value_of(pair.type, code);
      const double next = value_of(pair.type, code + 1);
      if (!std::isfinite(x) || !std::isfinite(next)) continue;
      const double middle = x / 2 + next / 2;
      for (const double probe : {x, middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e300)}) {
        const double expected = round_to(pair.dtype, -probe);
        ASSERT_EQ(value_of(pair.type, code_of(pair.type, -probe)), expected) << to_string(pair.type) << " " << probe;
      }
    }
  }
}

TEST(PtxCodes, BeyondTheLargestNumberOverflowAsTheHarnessDoes) {
  EXPECT_EQ(code_of(NumberType::f16, 65519.99), 0x7BFFU);
  EXPECT_EQ(code_of(NumberType::f16, 65520.0), 0x7C00U);  // the tie between 65504 and 65536
  EXPECT_EQ(code_of(NumberType::e4m3, 464.0), 0x7EU);     // the tie between 448 and 480: 448 is even
  EXPECT_EQ(code_of(NumberType::e4m3, 464.01), 0x7FU);    // no infinity: NaN
  EXPECT_EQ(code_of(NumberType::e5m2, -61440.0), 0xFCU);
  EXPECT_EQ(code_of(NumberType::bf16, 1e39), 0x7F80U);
}

TEST(PtxCodes, OfSixAndFourBitsAreThoseOfTheMicroscalingTables) {
  // OCP MX 1.0, tables 3 to 5: e2m1 has 0 .5 1 1.5 2 3 4 6; e2m3 bias 1, largest 7.5; e3m2 bias 3, largest 28.
  const std::vector<double> e2m1{0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (uint64_t code = 0; code < 8; ++code) {
    EXPECT_EQ(value_of(NumberType::e2m1, code), e2m1[code]);
    EXPECT_EQ(value_of(NumberType::e2m1, code | 8U), -e2m1[code]);
  }
  EXPECT_EQ(value_of(NumberType::e2m3, 0x1F), 7.5);
  EXPECT_EQ(value_of(NumberType::e2m3, 0x01), 0.125);
  EXPECT_EQ(value_of(NumberType::e2m3, 0x08), 1.0);
  EXPECT_EQ(value_of(NumberType::e3m2, 0x1F), 28.0);
  EXPECT_EQ(value_of(NumberType::e3m2, 0x01), 0.0625);
  EXPECT_EQ(value_of(NumberType::e3m2, 0x2C), -1.0);
}

TEST(PtxCodes, OfTf32IgnoreAndLeaveZeroTheLowThirteenBits) {
  EXPECT_EQ(value_of(NumberType::tf32, 0x3F801FFF), 1.0);
  EXPECT_EQ(code_of(NumberType::tf32, 1.0 + 0x1p-11), 0x3F800000U);      // tie to even
  EXPECT_EQ(code_of(NumberType::tf32, 1.0 + 3 * 0x1p-11), 0x3F804000U);  // tie to even, up
}

TEST(PtxCodes, NativeHalvesAreThoseOfTheHarness) {
  for (uint32_t code = 0; code < 65536; ++code) {
    const auto half = static_cast<uint16_t>(code);
    const double f16 = core_value(DType::f16, code);
    if (std::isnan(f16)) {
      ASSERT_TRUE(std::isnan(native::f32_of_f16(half)));
      ASSERT_EQ(native::f16_of_f32(native::f32_of_f16(half)), 0x7FFF);
      continue;
    }
    const float wide = native::f32_of_f16(half);
    ASSERT_EQ(std::bit_cast<uint32_t>(wide), std::bit_cast<uint32_t>(static_cast<float>(f16))) << code;
    ASSERT_EQ(native::f16_of_f32(wide), half);
  }
  uint64_t state = 1;
  for (int i = 0; i < 300000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto x = std::bit_cast<float>(static_cast<uint32_t>(state >> 32));
    ASSERT_EQ(native::f16_of_f32(x), code_of(NumberType::f16, x)) << x;
    ASSERT_EQ(native::bf16_of_f32(x), code_of(NumberType::bf16, x)) << x;
  }
}

}  // namespace
}  // namespace parity::ptx

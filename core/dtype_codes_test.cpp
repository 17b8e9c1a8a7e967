// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Every code of the 8- and 16-bit formats, against independent definitions of the same numbers.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "core/dtype.hpp"
#include "core/random.hpp"

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace parity {
namespace {

double decode(DType dtype, uint32_t code) {
  std::array<std::byte, 8> bytes{};
  std::memcpy(bytes.data(), &code, sizeof code);  // little endian: the low bytes are the code
  return load_element(dtype, bytes.data());
}

uint32_t encode(DType dtype, double x) {
  std::array<std::byte, 8> bytes{};
  store_element(dtype, bytes.data(), x);
  uint32_t code = 0;
  std::memcpy(&code, bytes.data(), static_cast<size_t>(size_of(dtype)));
  return code;
}

bool same(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

TEST(DTypeCodes, E4m3fnDecodesAsTheOcpTable) {
  // OCP 8-bit floating point: bias 7, S.1111.111 is the only NaN, no infinity, largest 1.75 * 2^8.
  EXPECT_TRUE(same(decode(DType::e4m3fn, 0x00), 0.0));
  EXPECT_TRUE(same(decode(DType::e4m3fn, 0x80), -0.0));
  EXPECT_EQ(decode(DType::e4m3fn, 0x01), 0x1p-9);
  EXPECT_EQ(decode(DType::e4m3fn, 0x07), 0x1.cp-7);  // largest subnormal, 7/8 * 2^-6
  EXPECT_EQ(decode(DType::e4m3fn, 0x08), 0x1p-6);
  EXPECT_EQ(decode(DType::e4m3fn, 0x38), 1.0);
  EXPECT_EQ(decode(DType::e4m3fn, 0xB9), -1.125);
  EXPECT_EQ(decode(DType::e4m3fn, 0x78), 256.0);  // exponent 15 is used for numbers
  EXPECT_EQ(decode(DType::e4m3fn, 0xFE), -448.0);
  EXPECT_TRUE(std::isnan(decode(DType::e4m3fn, 0x7F)));
  EXPECT_TRUE(std::isnan(decode(DType::e4m3fn, 0xFF)));
}

TEST(DTypeCodes, E4m3fnIsSignTimesSignificandTimesPowerForAllCodes) {
  for (uint32_t code = 0; code < 256; ++code) {
    if ((code & 0x7FU) == 0x7FU) continue;
    const int exponent = static_cast<int>(code >> 3 & 15U);
    const double fraction = static_cast<double>(code & 7U) / 8.0;
    const double magnitude = exponent == 0 ? fraction / 64.0 : (1.0 + fraction) * std::pow(2.0, exponent - 7);

    EXPECT_TRUE(same(decode(DType::e4m3fn, code), code < 128 ? magnitude : -magnitude)) << code;
  }
}

TEST(DTypeCodes, E5m2IsTheUpperByteOfF16ForAllCodes) {
  for (uint32_t code = 0; code < 256; ++code) {
    const double wide = decode(DType::f16, code << 8);

    const double narrow = decode(DType::e5m2, code);

    EXPECT_TRUE(same(narrow, wide) || (std::isnan(narrow) && std::isnan(wide))) << code;
  }
}

TEST(DTypeCodes, Bf16IsTheUpperHalfOfBinary32ForAllCodes) {
  for (uint32_t code = 0; code < 65536; ++code) {
    const auto wide = static_cast<double>(std::bit_cast<float>(code << 16));

    const double narrow = decode(DType::bf16, code);

    EXPECT_TRUE(same(narrow, wide) || (std::isnan(narrow) && std::isnan(wide))) << code;
  }
}

TEST(DTypeCodes, F16DecodesAsTheHardwareForAllCodes) {
#if defined(__F16C__)
  for (uint32_t code = 0; code < 65536; ++code) {
    const auto hardware = static_cast<double>(_cvtsh_ss(static_cast<uint16_t>(code)));

    const double ours = decode(DType::f16, code);

    EXPECT_TRUE(same(ours, hardware) || (std::isnan(ours) && std::isnan(hardware))) << code;
  }
#else
  GTEST_SKIP() << "this processor has no F16C conversions to compare with";
#endif
}

TEST(DTypeCodes, EveryCodeSurvivesDecodingAndEncoding) {
  for (const DType dtype : {DType::e4m3fn, DType::e5m2, DType::f16, DType::bf16}) {
    const uint32_t codes = size_of(dtype) == 1 ? 256 : 65536;
    int nans = 0;
    for (uint32_t code = 0; code < codes; ++code) {
      const double value = decode(dtype, code);
      if (std::isnan(value)) {
        ++nans;
        EXPECT_TRUE(std::isnan(decode(dtype, encode(dtype, value)))) << to_string(dtype) << " " << code;
        continue;
      }
      EXPECT_EQ(encode(dtype, value), code) << to_string(dtype);
      EXPECT_TRUE(same(round_to(dtype, value), value)) << to_string(dtype) << " " << code;
    }
    // Every nonzero fraction under the top exponent, with both signs, is NaN; e4m3fn has only one such fraction.
    const int expected = dtype == DType::e4m3fn ? 2 : 2 * ((1 << (format_of(dtype).significand_bits - 1)) - 1);
    EXPECT_EQ(nans, expected) << to_string(dtype);
  }
}

/// A random binary32 number of any exponent.
float any_float(const Random& random, uint64_t index) {
  const auto bits = static_cast<uint32_t>(random.bits(index));
  const auto value = std::bit_cast<float>(bits);
  return std::isfinite(value) ? value : 1.0F;
}

TEST(DTypeCodes, Bf16EncodesAsTheBitTrickOfTheFrameworks) {
  const Random random(1, "bf16");
  for (uint64_t i = 0; i < 200000; ++i) {
    const float x = any_float(random, i);
    const auto bits = std::bit_cast<uint32_t>(x);
    const uint32_t trick = (bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16;

    EXPECT_EQ(encode(DType::bf16, x), trick) << x;
  }
}

TEST(DTypeCodes, F16EncodesAsTheHardware) {
#if defined(__F16C__)
  const Random random(2, "f16");
  for (uint64_t i = 0; i < 200000; ++i) {
    // Every second number is in the range of f16, including subnormals and the overflow boundary.
    const double inside = std::ldexp(random.uniform(i) - 0.5, static_cast<int>(i / 2 % 46) - 28);
    const float x = i % 2 == 0 ? any_float(random, i) : static_cast<float>(inside);
    const uint16_t hardware = _cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);

    EXPECT_EQ(encode(DType::f16, x), hardware) << x;
  }
#else
  GTEST_SKIP() << "this processor has no F16C conversions to compare with";
#endif
}

TEST(DTypeCodes, F32StoresWhatTheHardwareRounds) {
  const Random random(3, "f32");
  for (uint64_t i = 0; i < 100000; ++i) {
    const double x = std::ldexp(random.uniform(2 * i) - 0.5, static_cast<int>(random.below(2 * i + 1, 320)) - 180);
    const auto hardware = static_cast<float>(x);

    EXPECT_EQ(encode(DType::f32, x), std::bit_cast<uint32_t>(hardware)) << x;
    EXPECT_TRUE(same(round_to(DType::f32, x), static_cast<double>(hardware))) << x;
  }
}

}  // namespace
}  // namespace parity

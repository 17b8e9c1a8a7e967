// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The e4m3 codes of our kernels, against core's conversion: at every 4096th number of binary32 and both neighbours,
// which include all codes and all boundaries between two.
#include "optimized/cpu/cache/coded_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

namespace parity::cpu {
namespace {

uint8_t expected_code(double x) {
  if (std::isnan(x)) return 0x7F;
  std::byte code{};
  store_element(DType::e4m3fn, &code, std::clamp(x, -448.0, 448.0));
  return std::to_integer<uint8_t>(code);
}

TEST(CodedCacheRows, EncodesEveryBoundaryAsTheFormatDoes) {
  constexpr uint32_t kStep = 4096;
  int wrong = 0;
  for (uint32_t i = 0; i < 1U << 20U; ++i) {
    for (const uint32_t beside : {0U, 1U, ~0U}) {
      const auto x = std::bit_cast<float>(i * kStep + beside);
      wrong += e4m3_of(x) == expected_code(static_cast<double>(x)) ? 0 : 1;
    }
  }

  EXPECT_EQ(wrong, 0);
}

TEST(CodedCacheRows, DecodesEveryCodeAsTheFormatDoes) {
  for (uint32_t code = 0; code < 256; ++code) {
    const auto byte = static_cast<std::byte>(code);
    const double number = load_element(DType::e4m3fn, &byte);
    const auto ours = static_cast<double>(number_of_e4m3(static_cast<uint8_t>(code)));

    EXPECT_TRUE((std::isnan(ours) && std::isnan(number)) ||
                (ours == number && std::signbit(ours) == std::signbit(number)))
        << code;
  }
}

}  // namespace
}  // namespace parity::cpu

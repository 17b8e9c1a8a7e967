// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Checks every code of e4m3 with every exponent of MXFP8, at every level of the machine, against core's conversion.
#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "core/dtype.hpp"
#include "optimized/cpu/linear/coded_matrix.hpp"
#include "optimized/registry.hpp"
#include "optimized/testing/levels.hpp"

namespace parity::cpu {
namespace {

constexpr int64_t kCodes = 256;

template <class T>
class Coded : public ::testing::Test {
 protected:
  /// Returns the bits of a number of type T, with one pattern for NaN.
  static uint32_t bits_of(const T* number) {
    const double value = load_element(kDTypeOf<T>, reinterpret_cast<const std::byte*>(number));
    if (std::isnan(value)) return 0x7fc00000U;
    uint32_t bits = 0;
    std::memcpy(&bits, number, sizeof(T));
    return bits;
  }
};
using Types = ::testing::Types<float, BFloat16>;
TYPED_TEST_SUITE(Coded, Types);

TYPED_TEST(Coded, GivesEveryNumberOfEveryExponent) {
  std::vector<uint8_t> codes, exponents;
  for (int64_t e = 0; e < kCodes; ++e) {
    for (int64_t code = 0; code < kCodes; ++code) codes.push_back(static_cast<uint8_t>(code));
    for (int64_t q = 0; q < kCodes / kCodedBlock; ++q) exponents.push_back(static_cast<uint8_t>(e));
  }
  at_every_level([&] {
    CodedRows<TypeParam> rows{codes.data(), exponents.data(), nullptr, kCodes, kCodedBlock, 1, 0, kCodes, nullptr};
    std::vector<TypeParam> got(codes.size()), streamed(codes.size());

    rows.out = got.data();
    decode_rows(rows);
    rows.out = streamed.data();
    rows.streams = true;
    decode_rows(rows);

    int64_t wrong = 0;
    for (int64_t i = 0; i < kCodes * kCodes; ++i) {
      const auto at = static_cast<size_t>(i);
      const double code = load_element(DType::e4m3fn, reinterpret_cast<const std::byte*>(&codes[at]));
      const auto scale = static_cast<float>(std::ldexp(1.0, static_cast<int>(i / kCodes) - 127));
      TypeParam right{};
      store_element(kDTypeOf<TypeParam>, reinterpret_cast<std::byte*>(&right),
                    static_cast<double>(static_cast<float>(code) * scale));
      wrong += this->bits_of(&got[at]) != this->bits_of(&right) ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(std::memcmp(streamed.data(), got.data(), got.size() * sizeof(TypeParam)), 0);
  });
}

TYPED_TEST(Coded, TakesBlocksOfAnyWidthAndFactors) {
  constexpr int64_t kWidth = 3 * 37, kRows = 4;
  std::vector<uint8_t> codes;
  for (int64_t i = 0; i < kRows * kWidth; ++i) codes.push_back(static_cast<uint8_t>(7 * i % 127));
  const std::vector<float> factors{0.5F, 0.3F, 1.7F, 2.0F, 0.01F, 3.0F};  // for two rows and 37 columns
  std::vector<TypeParam> got(codes.size());

  decode_rows(CodedRows<TypeParam>{codes.data(), nullptr, factors.data(), kWidth, 37, 2, 0, kRows, got.data()});

  for (int64_t i = 0; i < kRows * kWidth; ++i) {
    const auto at = static_cast<size_t>(i);
    const double code = load_element(DType::e4m3fn, reinterpret_cast<const std::byte*>(&codes[at]));
    const float factor = factors[static_cast<size_t>(i / kWidth / 2 * 3 + i % kWidth / 37)];
    TypeParam right{};
    store_element(kDTypeOf<TypeParam>, reinterpret_cast<std::byte*>(&right),
                  static_cast<double>(static_cast<float>(code) * factor));
    EXPECT_EQ(this->bits_of(&got[at]), this->bits_of(&right)) << i;
  }
}

/// The fused layer gives the result of a plain layer over decoded weights, up to the order of sums.
TYPED_TEST(Coded, MultipliesAsTheDecodedWeightDoes) {
  constexpr int64_t kWidth = 672, kRows = 71;
  const DType type = kDTypeOf<TypeParam>;
  const Tensor codes(DType::e4m3fn, {kRows, kWidth}), scales(DType::u8, {kRows, kWidth / kCodedBlock});
  const Tensor weight(type, {kRows, kWidth});
  for (int64_t i = 0; i < codes.view().count(); ++i) codes.view().data[i] = static_cast<std::byte>(37 * i % 127);
  for (int64_t i = 0; i < scales.view().count(); ++i) scales.view().data[i] = static_cast<std::byte>(118 + i % 5);
  const auto name = std::string(parity::to_string(type));
  const auto call = [&](const Registry& list, const char* kernel, const std::vector<TensorView>& in, const Tensor& out,
                        const ParamMap& params) {
    Arguments inputs, outputs{{{out.view()}, nullptr}};
    for (const TensorView& view : in)
      inputs.push_back({view.empty() ? std::vector<TensorView>{} : std::vector{view}, nullptr});
    Context context;
    list.kernel(kernel, "cpu", name).run(inputs, params, outputs, context);
  };
  at_every_level([&] {
    for (const int64_t tokens : {1, 2, 3, 5, 8, 9, 16, 17, 70}) {
      const Tensor x(type, {tokens, kWidth}), fused(type, {tokens, kRows}), plain(type, {tokens, kRows});
      for (int64_t i = 0; i < x.view().count(); ++i)
        store_element(type, x.view().data + i * size_of(type), static_cast<double>(i * 29 % 17 - 8) / 8.0);

      call(optimized::registry(), "dequantise", {codes.view(), scales.view()}, weight, {{"exponents", true}});
      call(optimized::registry(), "linear", {x.view(), weight.view(), {}}, plain, {});
      call(optimized::fusions().kernels(), "mxfp8_linear", {x.view(), codes.view(), scales.view()}, fused, {});

      const double unit = unit_roundoff(type);
      for (int64_t i = 0; i < plain.view().count(); ++i) {
        const double right = plain.view().value(i);
        EXPECT_NEAR(fused.view().value(i), right, 2.0 * unit * std::abs(right) + 1e-4) << tokens << " tokens, " << i;
      }
    }
  });
}

}  // namespace
}  // namespace parity::cpu

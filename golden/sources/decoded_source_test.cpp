// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Quantised checkpoints: every code with every exponent, every code with 10^5 factors, and reported problems.
#include "golden/sources/decoded_source.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "golden/testing/test_support.hpp"

namespace parity::golden {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kCodes = 256;

class Memory : public WeightSource {
 public:
  void add(const std::string& name, const Tensor& tensor) { tensors_[name] = tensor; }
  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> result;
    for (const auto& [name, tensor] : tensors_) result.push_back(name);
    return result;
  }
  [[nodiscard]] bool contains(const std::string& name) const override { return tensors_.contains(name); }
  [[nodiscard]] TensorView tensor(const std::string& name) const override { return tensors_.at(name).view(); }

 private:
  std::map<std::string, Tensor> tensors_;
};

/// A tensor whose rows contain all 256 codes.
Tensor all_codes(int64_t rows) {
  Tensor codes(DType::e4m3fn, {rows, kCodes});
  for (int64_t i = 0; i < rows * kCodes; ++i) codes.view().data[i] = static_cast<std::byte>(i % kCodes);
  return codes;
}

Tensor exponents(const Shape& shape, const std::vector<int>& values) {
  Tensor result(DType::u8, shape);
  for (size_t i = 0; i < values.size(); ++i) result.view().data[i] = static_cast<std::byte>(values[i]);
  return result;
}

Tensor factors(const Shape& shape, const std::vector<float>& values) {
  Tensor result(DType::f32, shape);
  std::memcpy(result.view().data, values.data(), values.size() * sizeof(float));
  return result;
}

/// The number that an e4m3 code represents.
double number_of(int64_t code) {
  const auto exponent = static_cast<int>((code >> 3) & 15);
  const auto mantissa = static_cast<int>(code & 7);
  const double sign = (code & 128) != 0 ? -1.0 : 1.0;
  if ((code & 127) == 127) return std::numeric_limits<double>::quiet_NaN();
  return sign * (exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10));
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

std::vector<double> read(const Memory& memory, const std::string& name) {
  std::vector<double> numbers(static_cast<size_t>(memory.tensor(name).count()));
  DecodedSource(memory).read(name, numbers.data());
  return numbers;
}

TEST(DecodedSource, EveryCodeWithEveryExponentIsExact) {
  Memory memory;
  std::vector<int> all;
  for (int exponent = 0; exponent < kCodes; ++exponent) all.push_back(exponent);
  memory.add("w", all_codes(kCodes));
  memory.add("w_scale_inv", exponents({kCodes, 1}, all));

  const auto numbers = read(memory, "w");

  int wrong = 0;
  for (int64_t i = 0; i < kCodes * kCodes; ++i) {
    const auto exponent = static_cast<int>(i / kCodes);
    const double product = exponent == 255 ? number_of(i % kCodes) * std::numeric_limits<double>::infinity()
                                           : std::ldexp(number_of(i % kCodes), exponent - 127);
    wrong += same(numbers[static_cast<size_t>(i)], static_cast<double>(static_cast<float>(product))) ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0) << "of 65536";
}

TEST(DecodedSource, EveryCodeWithManyFactorsIsExact) {  // random bits: also subnormal, huge, infinite and NaN ones
  constexpr int64_t kRows = 1 << 17;
  std::vector<float> scales;
  const Random random(5, "factors");
  for (uint64_t i = 0; i < kRows; ++i) scales.push_back(std::bit_cast<float>(static_cast<uint32_t>(random.bits(i))));
  Memory memory;
  memory.add("w", all_codes(kRows));
  memory.add("w_scale_inv", factors({kRows, 1}, scales));

  const auto numbers = read(memory, "w");

  int64_t wrong = 0;
  int64_t kinds[4] = {0, 0, 0, 0};  // subnormal, infinite, NaN, others
  for (int64_t i = 0; i < kRows * kCodes; ++i) {
    const float scale = scales[static_cast<size_t>(i / kCodes)];
    const double product = number_of(i % kCodes) * static_cast<double>(scale);  // 28 bits: exact in binary64
    wrong += same(numbers[static_cast<size_t>(i)], static_cast<double>(static_cast<float>(product))) ? 0 : 1;
    ++kinds[std::isnan(scale) ? 2 : std::isinf(scale) ? 1 : std::fpclassify(scale) == FP_SUBNORMAL ? 0 : 3];
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(kinds[0], 0);
  EXPECT_GT(kinds[2], 0);
}

TEST(DecodedSource, BlocksAreWhatTheGridDividesTheTensorInto) {
  Tensor codes(DType::e4m3fn, {4, 4});
  for (int i = 0; i < 16; ++i) codes.view().data[i] = std::byte{0x38};  // 1
  Memory memory;
  memory.add("w", codes);
  memory.add("w_scale_inv", factors({2, 2}, {1, 2, 3, 4}));

  EXPECT_THAT(read(memory, "w"), ElementsAre(1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4));
}

TEST(DecodedSource, OtherTensorsPass) {
  Memory memory;
  memory.add("w", factors({1, 2}, {1.5F, -2}));

  EXPECT_THAT(read(memory, "w"), ElementsAre(1.5, -2));
}

TEST(DecodedSource, CodesAreNoParametersWithoutIt) {
  Memory memory;
  memory.add("w", all_codes(1));
  double number = 0;

  EXPECT_THAT(test::error_of([&] { memory.read("w", &number); }), HasSubstr("tensor w holds 8-bit codes"));
}

TEST(DecodedSource, NamesWhatIsMissing) {
  Memory memory;
  memory.add("w", all_codes(1));
  std::vector<double> numbers(kCodes);

  EXPECT_THAT(test::error_of([&] { DecodedSource(memory).read("w", numbers.data()); }),
              HasSubstr("the scales w_scale_inv are missing"));
  EXPECT_THAT(DecodedSource(memory).problems(), ElementsAre(HasSubstr("the scales w_scale_inv are missing")));
}

TEST(DecodedSource, NamesEveryProblem) {
  Memory memory;
  memory.add("a", all_codes(2));
  memory.add("a_scale_inv", exponents({2, 8}, std::vector<int>(16, 127)));
  memory.add("b", all_codes(2));
  memory.add("b_scale_inv", exponents({2, 1}, {127, 255}));
  memory.add("c", all_codes(2));
  memory.add("c_scale_inv", factors({2, 2}, {1, std::numeric_limits<float>::quiet_NaN(), 1, 1}));
  memory.add("d", all_codes(3));
  memory.add("d_scale_inv", factors({2, 1}, {1, 1}));
  memory.add("e_scale_inv", factors({1, 1}, {1}));

  EXPECT_THAT(DecodedSource(memory).problems(),
              ElementsAre("tensor b_scale_inv: 1 of 2 scales are NaN or infinite; copy the checkpoint again",
                          "tensor c_scale_inv: 1 of 4 scales are NaN or infinite; copy the checkpoint again",
                          HasSubstr("tensor d of shape (3, 256) cannot be divided"),
                          "tensor e_scale_inv contains scales, but their tensor e is missing"));
}

TEST(DecodedSource, WholeCheckpointsHaveNoProblems) {
  Memory memory;
  memory.add("a", all_codes(2));
  memory.add("a_scale_inv", exponents({2, 8}, std::vector<int>(16, 100)));
  memory.add("norm", factors({2}, {1, 2}));

  EXPECT_THAT(DecodedSource(memory).problems(), IsEmpty());
}

}  // namespace
}  // namespace parity::golden

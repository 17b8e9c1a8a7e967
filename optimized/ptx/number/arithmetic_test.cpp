// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Arithmetic against the processor's own in each of its rounding modes, and cases worked out by hand.
#include "optimized/ptx/number/arithmetic.hpp"

#include <cfenv>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/dtype.hpp"
#include "core/error.hpp"
#include "optimized/ptx/number/environment.hpp"
#include "optimized/ptx/number/native_half.hpp"

namespace parity::ptx {
namespace {

using Mode = RoundingMode;

/// Restores the rounding of the thread.
class Rounded {
 public:
  explicit Rounded(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~Rounded() { std::fesetround(before_); }
  Rounded(const Rounded&) = delete;
  Rounded& operator=(const Rounded&) = delete;

 private:
  int before_;
};

uint64_t next_random(uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return state ^ (state >> 29);
}

/// Close exponents, so that sums cancel and round; sometimes anything at all.
template <class T>
T operand_of(uint64_t& state) {
  using Word = native::Word<T>;
  const uint64_t bits = next_random(state);
  const uint64_t kind = next_random(state) % 16;
  if (kind == 0) return std::bit_cast<T>(static_cast<Word>(bits));
  if (kind == 1) return std::numeric_limits<T>::min() * static_cast<T>(static_cast<double>(bits % 1000) / 500);
  if (kind == 2) return static_cast<T>(bits % 9) - T{4};
  const auto fraction = static_cast<T>(static_cast<int64_t>(bits)) / static_cast<T>(0x1p63);
  return std::ldexp(fraction, static_cast<int>(next_random(state) % 60) - 30);
}

template <class T>
bool same_code(uint64_t code, T expected) {
  const auto bits = std::bit_cast<native::Word<T>>(expected);
  if (!std::isnan(expected)) return code == bits;
  // Of f64 only that it is a quiet NaN: processors differ in which one they give.
  if (sizeof(T) == 8) return (code & 0x7FF8000000000000) == 0x7FF8000000000000;
  return code == std::bit_cast<native::Word<T>>(native::kNaN<T>);
}

template <class T>
void compare_with_processor(NumberType type, Mode mode, int processor_mode) {
  uint64_t state = 7;
  for (int i = 0; i < 60000; ++i) {
    volatile T a = operand_of<T>(state);
    volatile T b = operand_of<T>(state);
    volatile T c = operand_of<T>(state);
    std::array<T, 6> expected{};
    {
      const Rounded rounded(processor_mode);
      volatile T sum = a + b, difference = a - b, product = a * b, quotient = a / b, root = std::sqrt(a);
      volatile T fused = std::fma(a, b, c);
      expected = {sum, difference, product, quotient, root, fused};
    }
    const auto x = [](T v) { return static_cast<uint64_t>(std::bit_cast<native::Word<T>>(v)); };
    const ArithmeticMode how{mode};
    ASSERT_TRUE(same_code(add(type, x(a), x(b), how), expected[0])) << a << " + " << b;
    ASSERT_TRUE(same_code(sub(type, x(a), x(b), how), expected[1])) << a << " - " << b;
    ASSERT_TRUE(same_code(mul(type, x(a), x(b), how), expected[2])) << a << " * " << b;
    ASSERT_TRUE(same_code(div(type, x(a), x(b), how), expected[3])) << a << " / " << b;
    ASSERT_TRUE(same_code(sqrt(type, x(a), how), expected[4])) << "sqrt " << a;
    ASSERT_TRUE(same_code(fma(type, x(a), x(b), x(c), how), expected[5])) << a << " * " << b << " + " << c;
  }
}

TEST(PtxArithmetic, RoundsAsTheProcessorDoesInItsFourModes) {
  const std::vector<std::pair<Mode, int>> modes{
      {Mode::nearest, FE_TONEAREST}, {Mode::zero, FE_TOWARDZERO}, {Mode::down, FE_DOWNWARD}, {Mode::up, FE_UPWARD}};
  for (const auto& [mode, processor_mode] : modes) {
    compare_with_processor<float>(NumberType::f32, mode, processor_mode);
    compare_with_processor<double>(NumberType::f64, mode, processor_mode);
  }
}

TEST(PtxArithmetic, KnowsNothingOfTheCallersRounding) {
  const Rounded up(FE_UPWARD);

  EXPECT_EQ(add(NumberType::f32, 0x3F800000, 0x33000000), 0x3F800000U);  // 1 + 2^-25 to nearest
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
}

TEST(PtxArithmetic, OfTheMachineRoundsToNearestInANearestEnvironment) {
  const Rounded up(FE_UPWARD);
  volatile float one = 1.0F;
  volatile float tiny = 0x1p-25F;
  volatile float inside = 0.0F;
  {
    const NearestEnvironment nearest;
    inside = native::add<false, float>(one, tiny);
  }
  volatile float outside = one + tiny;

  EXPECT_EQ(inside, 1.0F);
  EXPECT_GT(outside, 1.0F);
}

TEST(PtxArithmetic, FlushesSubnormalOperandsAndResults) {
  const ArithmeticMode ftz{.ftz = true};

  EXPECT_EQ(add(NumberType::f32, 0x80000001, 0x80000001, ftz), 0x80000000U);
  EXPECT_EQ(mul(NumberType::f32, 0x00800000, 0xBF000000, ftz), 0x80000000U);  // -2^-127
  EXPECT_EQ(mul(NumberType::f32, 0x00800000, 0xBF000000), 0x80400000U);
  EXPECT_EQ(std::bit_cast<uint32_t>(native::mul<true>(0x1p-126F, -0.5F)), 0x80000000U);
  EXPECT_EQ(rcp(NumberType::f32, 0x00000001, ftz), 0x7F800000U);
  EXPECT_EQ(add(NumberType::f16, 0x0001, 0x0001, ftz), 0U);
}

TEST(PtxArithmetic, SaturatesToZeroAndOneAndNaNToZero) {
  const ArithmeticMode sat{.sat = true};

  EXPECT_EQ(add(NumberType::f32, 0x3F800000, 0x3F800000, sat), 0x3F800000U);
  EXPECT_EQ(add(NumberType::f32, 0xBF800000, 0x3F000000, sat), 0U);
  EXPECT_EQ(add(NumberType::f32, 0x7FC00000, 0x3F000000, sat), 0U);
  EXPECT_EQ(add(NumberType::f32, 0x7F800000, 0x3F000000, sat), 0x3F800000U);
  EXPECT_EQ(native::saturated(std::numeric_limits<float>::quiet_NaN()), 0.0F);
  EXPECT_EQ(fma(NumberType::f16, 0x3C00, 0xBC00, 0, {.relu = true}), 0U);
  EXPECT_EQ(fma(NumberType::f16, 0x7E00, 0xBC00, 0, {.relu = true}), 0x7FFFU);
}

TEST(PtxArithmetic, OfHalvesIsRoundedOnce) {
  uint64_t state = 3;
  for (int i = 0; i < 400000; ++i) {
    const uint64_t r = next_random(state);
    const auto a = static_cast<uint16_t>(r), b = static_cast<uint16_t>(r >> 16), c = static_cast<uint16_t>(r >> 32);
    const double x = native::f32_of_f16(a), y = native::f32_of_f16(b), z = native::f32_of_f16(c);
    // A f16 product is exact in binary64, and no f16 is so small that it could hide from the sum a tie that it breaks.
    const double fused = x * y + z;
    if (!std::isnan(fused)) {
      uint16_t expected = native::f16_of_f32(static_cast<float>(round_to(DType::f16, fused)));
      ASSERT_EQ(fma(NumberType::f16, a, b, c), expected) << x << " " << y << " " << z;
    }
    ASSERT_EQ(native::add_half<native::F16>(a, b), add(NumberType::f16, a, b));
    ASSERT_EQ(native::mul_half<native::F16>(a, b), mul(NumberType::f16, a, b));
    ASSERT_EQ(native::fma_half<native::F16>(a, b, c), fma(NumberType::f16, a, b, c));
    ASSERT_EQ(native::sub_half<native::BF16>(a, b), sub(NumberType::bf16, a, b));
    ASSERT_EQ(native::mul_half<native::BF16>(a, b), mul(NumberType::bf16, a, b));
    ASSERT_EQ(native::fma_half<native::BF16>(a, b, c), fma(NumberType::bf16, a, b, c)) << a << " " << b << " " << c;
  }
}

TEST(PtxArithmetic, OfBf16SeesWhatBreaksATieFarBelowBinary64) {
  // (1 + 2^-4) (1 + 2^-4) = 1 + 2^-3 + 2^-8: a tie between bf16 numbers, which 2^-100 breaks.
  const uint64_t factor = 0x3F88, tiny = 0x0D80;
  EXPECT_EQ(fma(NumberType::bf16, factor, factor, 0), 0x3F90U);
  EXPECT_EQ(fma(NumberType::bf16, factor, factor, tiny), 0x3F91U);
  EXPECT_EQ(native::fma_half<native::BF16>(factor, factor, tiny), 0x3F91U);
  EXPECT_EQ(fma(NumberType::bf16, factor, factor, tiny | 0x8000U), 0x3F90U);
}

TEST(PtxArithmetic, RefusesModifiersThatTheIsaHasNot) {
  EXPECT_THROW(check_arithmetic(NumberType::f16, {.rounding = Mode::zero}), Error);
  EXPECT_THROW(check_arithmetic(NumberType::f64, {.ftz = true}), Error);
  EXPECT_THROW(check_arithmetic(NumberType::bf16, {.sat = true}), Error);
  EXPECT_THROW(check_arithmetic(NumberType::tf32, {}), Error);
  EXPECT_NO_THROW(check_arithmetic(NumberType::f32, {.rounding = Mode::up, .ftz = true, .sat = true}));
}

}  // namespace
}  // namespace parity::ptx

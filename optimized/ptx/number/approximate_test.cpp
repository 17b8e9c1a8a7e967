// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Approximate instructions: the tables of PTX ISA 9.7.3.8 to 9.7.4.10, and the bounds with a seed.
#include "optimized/ptx/number/approximate.hpp"

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "optimized/ptx/number/native.hpp"

namespace parity::ptx {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

uint32_t bits_of(Approximation function, float a, float b = 0.0F, const ApproximationMode& mode = {}) {
  return std::bit_cast<uint32_t>(approximate(function, a, b, mode));
}
uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }
constexpr uint32_t kNaNBits = 0x7FFFFFFF;

TEST(PtxApproximation, GivesTheListedResultsOfSpecialArguments) {
  EXPECT_EQ(bits_of(Approximation::ex2, -kInf), 0U);
  EXPECT_EQ(bits_of(Approximation::ex2, -0.0F), bits_of(1.0F));
  EXPECT_EQ(bits_of(Approximation::lg2, -0.0F), bits_of(-kInf));
  EXPECT_EQ(bits_of(Approximation::lg2, -1.0F), kNaNBits);
  EXPECT_EQ(bits_of(Approximation::sin, -0.0F), bits_of(-0.0F));
  EXPECT_EQ(bits_of(Approximation::sin, kInf), kNaNBits);
  EXPECT_EQ(bits_of(Approximation::cos, -0.0F), bits_of(1.0F));
  EXPECT_EQ(bits_of(Approximation::tanh, -kInf), bits_of(-1.0F));
  EXPECT_EQ(bits_of(Approximation::tanh, 0x1p-140F), bits_of(0x1p-140F));
  EXPECT_EQ(bits_of(Approximation::rsqrt, -0.0F), bits_of(-kInf));
  EXPECT_EQ(bits_of(Approximation::rsqrt, -2.0F), kNaNBits);
  EXPECT_EQ(bits_of(Approximation::rcp, -kInf), bits_of(-0.0F));
  EXPECT_EQ(bits_of(Approximation::rcp, -0.0F), bits_of(-kInf));
  EXPECT_EQ(bits_of(Approximation::sqrt, -0.0F), bits_of(-0.0F));
  EXPECT_EQ(bits_of(Approximation::sqrt, std::nanf("")), kNaNBits);
}

TEST(PtxApproximation, OfAQuotientByAHugeDivisorIsZeroButDivFullIsNot) {
  EXPECT_EQ(bits_of(Approximation::div, 0x1p127F, -0x1p127F), bits_of(-0.0F));
  EXPECT_EQ(bits_of(Approximation::div, kInf, 0x1p127F), kNaNBits);
  EXPECT_EQ(bits_of(Approximation::div_full, 0x1p127F, -0x1p127F), bits_of(-1.0F));
  EXPECT_EQ(bits_of(Approximation::div, 1.0F, 3.0F), bits_of(1.0F / 3.0F));
}

TEST(PtxApproximation, FlushesWithFtz) {
  EXPECT_EQ(bits_of(Approximation::ex2, -127.0F), bits_of(0x1p-127F));
  EXPECT_EQ(bits_of(Approximation::ex2, -127.0F, 0.0F, {.ftz = true}), 0U);
  EXPECT_EQ(bits_of(Approximation::rsqrt, 0x1p-130F, 0.0F, {.ftz = true}), bits_of(kInf));
}

TEST(PtxApproximation, WithoutASeedIsCorrectlyRoundedInAnyRoundingOfTheCaller) {
  const int before = std::fegetround();
  std::fesetround(FE_UPWARD);
  const uint32_t root = bits_of(Approximation::sqrt, 2.0F);
  const uint32_t third = bits_of(Approximation::rcp, 3.0F);
  const uint32_t exponential = bits_of(Approximation::ex2, 0.5F);
  std::fesetround(before);

  EXPECT_EQ(root, 0x3FB504F3U);  // 1.41421356237 to nearest
  EXPECT_EQ(third, 0x3EAAAAABU);
  EXPECT_EQ(exponential, 0x3FB504F3U);
}

TEST(PtxApproximation, WithASeedStaysWithinTheDocumentedErrorAndMoves) {
  constexpr std::array<Approximation, 8> kFunctions{Approximation::ex2,  Approximation::lg2,     Approximation::sin,
                                                    Approximation::cos,  Approximation::rsqrt,   Approximation::rcp,
                                                    Approximation::sqrt, Approximation::div_full};
  const auto exact = [](Approximation function, double x) {
    constexpr double kDivisor = 3.0;
    switch (function) {
      case Approximation::ex2:
        return std::exp2(x);
      case Approximation::lg2:
        return std::log2(x);
      case Approximation::sin:
        return std::sin(x);
      case Approximation::cos:
        return std::cos(x);
      case Approximation::rsqrt:
        return 1 / std::sqrt(x);
      case Approximation::rcp:
        return 1 / x;
      case Approximation::sqrt:
        return std::sqrt(x);
      default:
        return x / kDivisor;
    }
  };
  for (const Approximation function : kFunctions) {
    std::set<uint32_t> results;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      const float x = 0.3F + 0.03F * static_cast<float>(seed);
      const float got = approximate(function, x, 3.0F, {.seed = seed});
      const double value = exact(function, x);
      const ErrorBound bound = *documented_error(function, function == Approximation::div_full ? 3.0 : x);
      double size = bound.size;
      if (bound.measure == ErrorMeasure::relative) size *= std::abs(value);
      if (bound.measure == ErrorMeasure::ulp) size *= std::ldexp(1.0, std::ilogb(value) - 23);
      ASSERT_LE(std::abs(got - value), size) << static_cast<int>(function) << " of " << x;
      results.insert(std::bit_cast<uint32_t>(approximate(function, 0.7F, 3.0F, {.seed = seed})));
    }
    EXPECT_GT(results.size(), 1U) << static_cast<int>(function);
  }
}

TEST(PtxApproximation, DependsOnSeedFunctionAndArgumentAlone) {
  const ApproximationMode mode{.seed = 11};
  EXPECT_EQ(bits_of(Approximation::lg2, 3.0F, 0.0F, mode), bits_of(Approximation::lg2, 3.0F, 5.0F, mode));
  EXPECT_FALSE(documented_error(Approximation::sin, 400.0).has_value());
  EXPECT_EQ(bits_of(Approximation::sin, 400.0F, 0.0F, mode), bits_of(Approximation::sin, 400.0F));
}

TEST(PtxApproximation, OfHalvesIsWithinItsBoundForEveryArgument) {
  const auto check = [](Approximation function, auto widen, auto exact) {
    for (uint32_t code = 0; code < 65536; ++code) {
      const auto half = static_cast<uint16_t>(code);
      const double x = widen(half);
      const double value = exact(x);
      const ErrorBound bound = *documented_error(function, x);
      const double size = bound.measure == ErrorMeasure::relative ? bound.size * std::abs(value) : bound.size;
      if (!std::isfinite(x) || std::abs(value) < 0x1p-13 || std::abs(value) > 60000.0) continue;
      ASSERT_LE(std::abs(widen(approximate_half(function, half)) - value), size) << x;
      ASSERT_LE(std::abs(widen(approximate_half(function, half, {.seed = 5})) - value), size) << x;
    }
  };
  check(Approximation::ex2_f16, native::f32_of_f16, [](double x) { return std::exp2(x); });
  check(Approximation::tanh_f16, native::f32_of_f16, [](double x) { return std::tanh(x); });
  check(Approximation::ex2_bf16, native::f32_of_bf16, [](double x) { return std::exp2(x); });
  check(Approximation::tanh_bf16, native::f32_of_bf16, [](double x) { return std::tanh(x); });
  EXPECT_EQ(approximate_half(Approximation::ex2_bf16, 0x8001), 0x3F80);
  EXPECT_EQ(approximate_half(Approximation::ex2_f16, 0x7E00), 0x7FFF);
}

TEST(PtxApproximation, OfF64ReadsAndWritesTheUpperHalf) {
  EXPECT_EQ(approximate_f64(false, 0x4000000012345678), 0x3FE0000000000000U);
  EXPECT_EQ(approximate_f64(true, 0x4010000000000000), 0x3FE0000000000000U);
  EXPECT_EQ(approximate_f64(false, 0x8000000100000000), 0xFFF0000000000000U);  // -subnormal
  EXPECT_EQ(approximate_f64(true, 0x8000000100000000), 0xFFF0000000000000U);
  EXPECT_EQ(approximate_f64(false, 0x7FF8000000000000), 0x7FFFFFFF00000000U);
}

}  // namespace
}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Running error bounds: for any errors of the operands within their bounds, the result is within its bound.
#include "core/bounded.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace parity {
namespace {

using Real = long double;  // more digits than Bounded has

/// Draws numbers of a stream one after the other.
class Draw {
 public:
  explicit Draw(const std::string& stream) : random_(20261121, stream) {}

  double uniform(double low, double high) { return low + (high - low) * random_.uniform(next_++); }
  bool coin() { return random_.below(next_++, 2) == 0; }
  /// A number of random sign with magnitude 2^low … 2^high, uniform in the exponent.
  double spread(double low, double high) { return (coin() ? 1.0 : -1.0) * std::exp2(uniform(low, high)); }
  /// A Bounded with an error from far below its last bit to several times its magnitude, in one term or in both.
  Bounded bounded(double value) {
    const double error = std::abs(value) * std::exp2(uniform(-50, 3));
    const double share = std::vector<double>{0.0, 1.0, uniform(0, 1)}[random_.below(next_++, 3)];
    return {value, error * share, error * (1.0 - share)};
  }
  /// A number within the error interval of `x`, often at one of its ends.
  Real perturbed(const Bounded& x) {
    const Real error = static_cast<Real>(x.rounding) + static_cast<Real>(x.noise);
    constexpr double kEnd = 1.0 - 0x1p-10;  // the sum below is rounded and must stay inside
    const double at = coin() ? (coin() ? kEnd : -kEnd) : uniform(-kEnd, kEnd);
    return static_cast<Real>(x.value) + error * static_cast<Real>(at);
  }

 private:
  Random random_;
  uint64_t next_ = 0;
};

struct Operation {
  const char* name;
  double low, high;  // exponents of the operands' magnitudes
  bool positive;     // operands are positive, and so are their intervals
  Bounded (*bound)(const Bounded&, const Bounded&);
  Real (*exact)(Real, Real);
};

void PrintTo(const Operation& operation, std::ostream* out) { *out << operation.name; }

constexpr double kLimit = 7.0;

const std::vector<Operation> kOperations{
    {"Sum", -100, 100, false, [](const Bounded& a, const Bounded& b) { return a + b; },
     [](Real a, Real b) { return a + b; }},
    {"Difference", -100, 100, false, [](const Bounded& a, const Bounded& b) { return a - b; },
     [](Real a, Real b) { return a - b; }},
    {"Product", -100, 100, false, [](const Bounded& a, const Bounded& b) { return a * b; },
     [](Real a, Real b) { return a * b; }},
    {"Quotient", -100, 100, false, [](const Bounded& a, const Bounded& b) { return a / b; },
     [](Real a, Real b) { return a / b; }},
    {"Negative", -100, 100, false, [](const Bounded& a, const Bounded&) { return -a; },
     [](Real a, Real) { return -a; }},
    // Arguments and errors up to 512 and 4096: results from 2^-738 down to 0 and up to infinity.
    {"Exponential", -60, 9, false, [](const Bounded& a, const Bounded&) { return exponential(a); },
     [](Real a, Real) { return std::exp(a); }},
    {"SquareRoot", -100, 100, true, [](const Bounded& a, const Bounded&) { return square_root(a); },
     [](Real a, Real) { return std::sqrt(a); }},
    {"Logarithm", -100, 100, true, [](const Bounded& a, const Bounded&) { return logarithm(a); },
     [](Real a, Real) { return std::log(a); }},
    {"Logistic", -60, 9, false, [](const Bounded& a, const Bounded&) { return logistic(a); },
     [](Real a, Real) { return 1.0L / (1.0L + std::exp(-a)); }},
    {"ErrorFunction", -60, 30, false, [](const Bounded& a, const Bounded&) { return error_function(a); },
     [](Real a, Real) { return std::erf(a); }},
    {"Cosine", -60, 30, false, [](const Bounded& a, const Bounded&) { return cosine(a); },
     [](Real a, Real) { return std::cos(a); }},
    {"Sine", -60, 30, false, [](const Bounded& a, const Bounded&) { return sine(a); },
     [](Real a, Real) { return std::sin(a); }},
    {"AtMost", -10, 10, false, [](const Bounded& a, const Bounded&) { return at_most(a, kLimit); },
     [](Real a, Real) { return std::min<Real>(a, kLimit); }},
    {"AtLeast", -10, 10, false, [](const Bounded& a, const Bounded&) { return at_least(a, -kLimit); },
     [](Real a, Real) { return std::max<Real>(a, -kLimit); }},
};

class BoundedOperation : public ::testing::TestWithParam<Operation> {
 protected:
  /// A random operand of the operation; the whole interval of a positive one is positive.
  static Bounded operand(Draw& draw) {
    const Operation& operation = GetParam();
    const double magnitude = draw.spread(operation.low, operation.high);
    Bounded x = draw.bounded(operation.positive ? std::abs(magnitude) : magnitude);
    if (operation.positive && x.error() >= x.value) x = Bounded(x.value, 0.0, x.value * draw.uniform(0, 1));
    return x;
  }
};

TEST_P(BoundedOperation, ErrorNeverExceedsTheBound) {
  const Operation& operation = GetParam();
  Draw draw(operation.name);
  for (int i = 0; i < 40000; ++i) {
    const Bounded a = operand(draw);
    const Bounded b = operand(draw);
    const Bounded result = operation.bound(a, b);
    ASSERT_GE(result.rounding, 0.0) << a.value << " ± " << a.error();  // false for NaN
    ASSERT_GE(result.noise, 0.0) << a.value << " ± " << a.error();

    const Real actual = operation.exact(draw.perturbed(a), draw.perturbed(b));

    // Value and bound are results of a few binary64 operations: they err by up to 2^-49, or by a few subnormals.
    const Real own =
        0x1p-49L * (std::abs(static_cast<Real>(result.value)) + static_cast<Real>(result.error())) + 0x1p-1070L;
    const Real bound = static_cast<Real>(result.rounding) + static_cast<Real>(result.noise);
    if (std::isinf(bound)) continue;  // the divisor may vanish, or the result may overflow
    ASSERT_LE(std::abs(actual - static_cast<Real>(result.value)), bound + own)
        << a.value << " ± " << a.error() << ", " << b.value << " ± " << b.error();
  }
}

TEST_P(BoundedOperation, SmallErrorsAreNotOverstated) {
  const Operation& operation = GetParam();
  Draw draw(std::string("tight ") + operation.name);
  double largest = 0.0;
  for (int i = 0; i < 4000; ++i) {
    Bounded a = operand(draw);
    Bounded b = operand(draw);
    a = Bounded(a.value, std::abs(a.value) * 0x1p-30, 0.0);
    b = Bounded(b.value, 0.0, std::abs(b.value) * 0x1p-30);
    const Bounded result = operation.bound(a, b);
    const Real actual = operation.exact(draw.perturbed(a), draw.perturbed(b));
    if (!(result.error() > 0x1p-48 * std::abs(result.value)) || std::isinf(result.error())) continue;
    largest = std::max(largest, static_cast<double>(std::abs(actual - static_cast<Real>(result.value)) /
                                                    static_cast<Real>(result.error())));
  }

  EXPECT_GT(largest, 0.99);  // some draw is at the ends of its interval: the first-order term is not inflated
}

INSTANTIATE_TEST_SUITE_P(All, BoundedOperation, ::testing::ValuesIn(kOperations),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Bounded, ConstantsHaveNoError) {
  const Bounded two(2.0);

  EXPECT_EQ((two * two + two).value, 6.0);
  EXPECT_EQ((two * two + two).error(), 0.0);
}

TEST(Bounded, RoundingAndNoiseStaySeparate) {
  const Bounded a(3.0, 0.5, 0.0);
  const Bounded b(5.0, 0.0, 0.25);

  const Bounded sum = a + b;
  const Bounded product = a * b;

  EXPECT_EQ(sum.rounding, 0.5);
  EXPECT_EQ(sum.noise, 0.25);
  EXPECT_EQ(product.rounding, 0.5 * 5.25);  // uses the largest |b|
  EXPECT_EQ(product.noise, 3.0 * 0.25);
}

TEST(Bounded, DivisorThatMayVanishHasNoFiniteBound) {
  EXPECT_EQ((Bounded(1.0) / Bounded(0.5, 0.0, 0.5)).noise, std::numeric_limits<double>::infinity());
  EXPECT_EQ((Bounded(1.0) / Bounded(0.5, 0.0, 0.25)).noise, 2.0 * 0.25 / 0.25);
}

TEST(Bounded, ZeroOverADivisorThatMayVanishHasABoundThatIsNotNaN) {  // was 0/0
  const Bounded quotient = Bounded(0.0) / Bounded(0.5, 0.0, 0.5);

  EXPECT_GE(quotient.noise, 0.0);
}

TEST(Bounded, ClampedNumbersKeepAnErrorOnlyIfTheIntervalReachesTheLimit) {
  EXPECT_EQ(at_most(Bounded(9.0, 0.5, 0.5), 7.0).error(), 0.0);
  EXPECT_EQ(at_most(Bounded(9.0, 0.5, 0.5), 7.0).value, 7.0);
  EXPECT_EQ(at_most(Bounded(7.5, 0.5, 0.5), 7.0).error(), 1.0);
  EXPECT_EQ(at_most(Bounded(6.5, 0.5, 0.5), 7.0).value, 6.5);
  EXPECT_EQ(at_least(Bounded(-9.0, 0.5, 0.5), -7.0).value, -7.0);
  EXPECT_EQ(at_least(Bounded(-9.0, 0.5, 0.5), -7.0).error(), 0.0);
}

TEST(Bounded, ClampsToALimitThatHasAnErrorOfItsOwn) {
  const Bounded limit(7.0, 0.25, 0.0);

  EXPECT_EQ(at_most(Bounded(9.0, 0.5, 0.5), limit).error(), 0.25);  // certainly clamped
  EXPECT_EQ(at_most(Bounded(7.5, 0.5, 0.5), limit).error(), 1.0);
  EXPECT_EQ(at_most(Bounded(6.9, 0.0, 0.0), limit).error(), 0.25);  // a limit of 6.8 would have clamped it
  EXPECT_EQ(at_most(Bounded(6.0, 0.125, 0.0), limit).error(), 0.125);
  EXPECT_EQ(at_least(Bounded(-9.0, 0.5, 0.5), -limit).error(), 0.25);
}

TEST(Bounded, ClampsPassNaN) {
  EXPECT_TRUE(std::isnan(at_most(std::nan(""), 7.0)));
  EXPECT_TRUE(std::isnan(at_least(std::nan(""), -7.0)));
  EXPECT_TRUE(std::isnan(at_most(Bounded(std::nan("")), 7.0).value));
  EXPECT_TRUE(std::isnan(at_least(Bounded(std::nan("")), -7.0).value));
}

TEST(Bounded, FarLogisticTailKeepsItsRelativeError) {  // was 0: 1 - logistic(40) is 0 in binary64
  const Bounded tail = logistic(Bounded(-40.0, 0.125, 0.0));

  EXPECT_GE(tail.rounding, logistic(-39.875) - logistic(-40.0));
  // The bound takes the slope at the near end, not the mean slope: 0.125 e^0.125 / (e^0.125 - 1) = 1.064 times larger.
  EXPECT_LT(tail.rounding, 1.07 * (logistic(-39.875) - logistic(-40.0)));
}

TEST(Bounded, WideIntervalsOfVanishingExponentialsHaveABound) {  // was 0 * infinity
  const Bounded x = exponential(Bounded(-800.0, 800.0, 0.0));

  EXPECT_NEAR(x.rounding, 1.0, 1e-12);  // exp(0) - exp(-800)
}

TEST(Gamma, GrowsLinearlyUpTo36AndThenAsTheRoot) {
  EXPECT_EQ(gamma(0), 0.0);
  EXPECT_EQ(gamma(5), 5.0);
  EXPECT_EQ(gamma(36), 36.0);
  EXPECT_EQ(gamma(10000), 600.0);
}

}  // namespace
}  // namespace parity

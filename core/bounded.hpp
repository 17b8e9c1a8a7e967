// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Running error analysis: an exact value together with a bound on how far any implementation that rounds at the listed
// points may be from it. Two terms, because they are judged differently (compare/judging/tolerance.hpp):
//   rounding  roundings to the working type, which the oracle makes at the same points
//   noise     binary32 operations, library functions and the order of sums, which differ between implementations
// An infinity or NaN has neither: every implementation gets the same, or the judge reports it before a bound is used.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace parity {

/// min(n, 6 sqrt(n)): growth of the rounding error of a sum of n terms.
[[nodiscard]] inline double gamma(int64_t n) {
  const auto terms = static_cast<double>(n);
  return std::min(terms, 6.0 * std::sqrt(terms));
}

/// slope * error; 0 when either factor is 0, even if the other is infinite.
[[nodiscard]] inline double spread(double slope, double error) {
  return slope == 0.0 || error == 0.0 ? 0.0 : slope * error;
}

struct Bounded {
  double value = 0.0;
  double rounding = 0.0;
  double noise = 0.0;

  Bounded() = default;
  Bounded(double exact) : value(exact) {}  // NOLINT(google-explicit-constructor): constants mix with numbers
  Bounded(double exact, double rounding_error, double noise_error)
      : value(exact), rounding(rounding_error), noise(noise_error) {
    settle();
  }

  [[nodiscard]] double error() const { return rounding + noise; }
  void settle() {
    if (!std::isfinite(value)) rounding = noise = 0.0;
  }
  [[nodiscard]] Bounded scaled(double new_value, double slope) const {
    return {new_value, spread(slope, rounding), spread(slope, noise)};
  }

  Bounded& operator+=(const Bounded& other) {
    value += other.value;
    rounding += other.rounding;
    noise += other.noise;
    settle();
    return *this;
  }
};

inline Bounded operator-(const Bounded& a) { return {-a.value, a.rounding, a.noise}; }
inline Bounded operator+(Bounded a, const Bounded& b) { return a += b; }
inline Bounded operator-(const Bounded& a, const Bounded& b) { return a + (-b); }
inline Bounded operator*(const Bounded& a, const Bounded& b) {
  const double left = std::abs(b.value) + b.error();
  const double right = std::abs(a.value);
  return {a.value * b.value, spread(left, a.rounding) + spread(right, b.rounding),
          spread(left, a.noise) + spread(right, b.noise)};
}
inline Bounded operator/(const Bounded& a, const Bounded& b) {
  const double quotient = a.value / b.value;
  const double smallest =
      std::max(std::abs(b.value) - b.error(), 0.0);  // 0: the divisor may vanish, the bound is infinite
  const double slope = a.value == 0.0 ? 0.0 : std::abs(quotient) / smallest;
  const auto term = [&](double ea, double eb) { return (ea == 0.0 ? 0.0 : ea / smallest) + spread(slope, eb); };
  return {quotient, term(a.rounding, b.rounding), term(a.noise, b.noise)};
}
inline bool operator<(const Bounded& a, const Bounded& b) { return a.value < b.value; }

// The functions that reference code uses, for double and for Bounded alike. Each bound takes the largest slope that the
// error interval reaches.
inline double value_of(double x) { return x; }
inline double value_of(const Bounded& x) { return x.value; }

inline double exponential(double x) { return std::exp(x); }
inline Bounded exponential(const Bounded& x) {
  const double value = std::exp(x.value);
  const double error = x.error();
  // The difference is used where exp(x) may vanish while exp(error) overflows.
  const double rise = value < 1.0 && error > 1.0 ? std::exp(x.value + error) - value : value * std::expm1(error);
  return x.scaled(value, error > 1e-8 ? rise / error : value);
}

inline double square_root(double x) { return std::sqrt(x); }
inline Bounded square_root(const Bounded& x) {
  const double value = std::sqrt(x.value);
  const double smallest = std::sqrt(std::max(x.value - x.error(), 0.0));
  return x.scaled(value, x.error() == 0.0 ? 0.0 : 1.0 / (value + smallest));
}

inline double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }
inline Bounded logistic(const Bounded& x) {
  const double value = logistic(x.value);
  const double nearest = std::max(std::abs(x.value) - x.error(), 0.0);  // slope is largest at the centre
  return x.scaled(value, logistic(nearest) * logistic(-nearest));       // 1 - logistic(40) would be 0
}

inline double logarithm(double x) { return std::log(x); }
inline Bounded logarithm(const Bounded& x) {
  return x.scaled(std::log(x.value), 1.0 / std::max(x.value - x.error(), 0.0));
}

/// log(1 + x); the sum 1 + x is not rounded.
inline double logarithm_of_one_plus(double x) { return std::log1p(x); }
inline Bounded logarithm_of_one_plus(const Bounded& x) {
  return x.scaled(std::log1p(x.value), 1.0 / std::max(1.0 + x.value - x.error(), 0.0));
}

inline double error_function(double x) { return std::erf(x); }
inline Bounded error_function(const Bounded& x) {
  constexpr double kTwoOverRootPi = 1.1283791670955126;
  const double nearest = std::max(std::abs(x.value) - x.error(), 0.0);  // slope is largest at the centre
  return x.scaled(std::erf(x.value), kTwoOverRootPi * std::exp(-nearest * nearest));
}

inline double cosine(double x) { return std::cos(x); }
inline Bounded cosine(const Bounded& x) {
  return x.scaled(std::cos(x.value), std::min(1.0, std::abs(std::sin(x.value)) + x.error()));
}

inline double sine(double x) { return std::sin(x); }
inline Bounded sine(const Bounded& x) {
  return x.scaled(std::sin(x.value), std::min(1.0, std::abs(std::cos(x.value)) + x.error()));
}

inline double at_most(double x, double limit) {
  return x > limit ? limit : x;
}  // NaN passes through, as torch.clamp does
/// The smaller operand with its error; with the larger of both errors when either operand may be the smaller one.
inline Bounded at_most(const Bounded& x, const Bounded& limit) {
  if (x.value - x.error() > limit.value + limit.error()) return limit;
  if (!(x.value + x.error() >= limit.value - limit.error())) return x;
  return {at_most(x.value, limit.value), std::max(x.rounding, limit.rounding), std::max(x.noise, limit.noise)};
}

inline double at_least(double x, double limit) { return x < limit ? limit : x; }
inline Bounded at_least(const Bounded& x, const Bounded& limit) { return -at_most(-x, -limit); }

}  // namespace parity

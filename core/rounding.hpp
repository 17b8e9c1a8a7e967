// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rounding points: the places where an implementation rounds. The same reference code runs exactly (every point is the
// identity), as the oracle rounds, or with a running error bound (core/bounded.hpp).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>

#include "core/bounded.hpp"
#include "core/dtype.hpp"

namespace parity {

/// The precision to which a rounding point rounds. `working` is the model's type T. An implementation evaluates each
/// operation on T tensors in binary32 first, so T = bf16 means R(F(x)).
enum class Precision : uint8_t {
  exact,     // no rounding here
  working,   // the model's type T
  single,    // binary32; binary64 in a binary64 recording
  binary32,  // binary32, also in a binary64 recording (rotary tables)
};

[[nodiscard]] const char* to_string(Precision precision);
[[nodiscard]] Precision precision_named(const std::string& name);  // throws Error{schema}

/// Largest error, in ulps (1 ulp = 2 u), of binary32 arithmetic and of the oracles' library functions.
constexpr double kLibraryUlps = 2.0;
/// Largest error, in ulps, that we allow an elementary function in binary32: the documented error of CUDA's and Metal's
/// fast exp, and of MLX on a CPU.
constexpr double kCoarseLibraryUlps = 16.0;

/// One named rounding point, bound to a working type.
struct Round {
  Precision precision = Precision::exact;
  DType working = DType::f64;
  bool active = false;         // whether values are rounded; if not, a Bounded still gains the error of rounding
  double ulps = kLibraryUlps;  // error of the operation before the rounding, in ulps of binary32

  /// x, rounded if the point is active or is Precision::binary32, which belongs to the definition of the component.
  [[nodiscard]] double operator()(double x) const { return active || precision == Precision::binary32 ? apply(x) : x; }
  [[nodiscard]] Bounded operator()(Bounded x) const;
  /// Unit roundoff of the type that this point rounds to; 0 for `exact`.
  [[nodiscard]] double unit() const;
  /// The type that this point rounds to.
  [[nodiscard]] DType target() const;

 private:
  [[nodiscard]] double apply(double x) const;
};

/// x rounded to bf16, to nearest even; NaN and infinities are unchanged.
[[nodiscard]] inline double bf16_of(float x) {
  if (!std::isfinite(x)) return x;
  auto bits = std::bit_cast<uint32_t>(x);
  bits += 0x7FFFU + ((bits >> 16) & 1U);
  return std::bit_cast<float>(bits & 0xFFFF0000U);
}

inline DType Round::target() const {
  switch (precision) {
    case Precision::exact:
      return DType::f64;
    case Precision::working:
      return working;
    case Precision::single:
      return working == DType::f64 ? DType::f64 : DType::f32;
    case Precision::binary32:
      return DType::f32;
  }
  return DType::f64;
}

inline double Round::unit() const { return precision == Precision::exact ? 0.0 : unit_roundoff(target()); }

inline double Round::apply(double x) const {
  switch (target()) {
    case DType::f64:
      return x;
    case DType::f32:
      return static_cast<double>(static_cast<float>(x));
    case DType::bf16:
      return bf16_of(static_cast<float>(x));
    default:
      return round_to(target(), static_cast<double>(static_cast<float>(x)));
  }
}

inline Bounded Round::operator()(Bounded x) const {
  if (precision == Precision::exact) return x;
  x.value = (*this)(x.value);
  if (!std::isfinite(x.value)) return {x.value};
  const DType type = target();
  const double magnitude = std::max(std::abs(x.value) + x.error(), smallest_normal(type));
  const double units = 2.0 * ulps;  // 1 ulp is 2 u
  if (precision == Precision::working) {
    x.rounding += unit_roundoff(type) * magnitude;
    if (type != DType::f64) x.noise += units * unit_roundoff(DType::f32) * magnitude;  // the operation before R
  } else {
    x.noise += units * unit_roundoff(type) * magnitude;
  }
  return x;
}

/// A constant of the formula, rounded by `point`. Its error in an exact evaluation is the actual one: 0 for 2 or 7.
template <class Num>
Num constant(double x, Round point) {
  if constexpr (std::is_same_v<Num, Bounded>) {
    point.active = true;
    const double error = std::isfinite(x) ? std::abs(point(x) - x) : 0.0;
    return point.precision == Precision::working ? Bounded(x, error, 0.0) : Bounded(x, 0.0, error);
  } else {
    return point(x);
  }
}

/// Precision of points that differ from their component's default: "swiglu.product" -> single.
using RoundingTable = std::map<std::string, Precision>;

/// The rounding of a whole evaluation: the profile's table, the working type, and whether the points are active.
class Rounding {
 public:
  [[nodiscard]] static Rounding exact(DType working, const RoundingTable& table = {}) {
    return {working, table, false};
  }
  [[nodiscard]] static Rounding oracle(DType working, const RoundingTable& table = {}) {
    return {working, table, true};
  }

  [[nodiscard]] Round point(const std::string& component, const std::string& name, Precision fallback) const;
  /// A copy of this rounding for a library whose elementary functions err by `ulps` ulps of binary32.
  [[nodiscard]] Rounding with_functions(double ulps) const {
    Rounding result = *this;
    result.function_ulps_ = ulps;
    return result;
  }
  [[nodiscard]] DType working() const { return working_; }
  [[nodiscard]] bool active() const { return active_; }
  [[nodiscard]] double function_ulps() const { return function_ulps_; }

 private:
  Rounding(DType working, const RoundingTable& table, bool active)
      : working_(working), table_(table), active_(active) {}

  DType working_;
  RoundingTable table_;
  bool active_;
  double function_ulps_ = kLibraryUlps;
};

/// A sum of terms or products, accumulated in binary64 and rounded once at `point`. Its error bound is true for any
/// order of accumulation in the point's precision: gamma(n) u sum|t|, gamma(n) = min(n, 6 sqrt(n)) (probabilistic bound
/// of Higham and Mary 2019 with lambda = 6).
template <class Num>
class Sum {
 public:
  explicit Sum(Round point) : point_(point) {}
  void add(Num term) { total_ += term; }
  void add_product(double a, double b) { total_ += a * b; }
  /// Adds `count` products that were summed elsewhere to `sum`; `magnitude` is the sum of their magnitudes.
  void add_products(double sum, double /*magnitude*/, int64_t /*count*/) { total_ += sum; }
  [[nodiscard]] Num value() const { return point_(total_); }

 private:
  Round point_;
  Num total_ = 0.0;
};

template <>
class Sum<Bounded> {
 public:
  explicit Sum(Round point) : point_(point) {}
  void add(const Bounded& term) {
    total_ += term;
    magnitude_ += std::abs(term.value);
    ++count_;
  }
  void add_product(double a, double b) {
    const double product = a * b;
    total_.value += product;
    magnitude_ += std::abs(product);
    ++count_;
  }
  void add_products(double sum, double magnitude, int64_t count) {
    total_.value += sum;
    magnitude_ += magnitude;
    count_ += count;
  }
  [[nodiscard]] Bounded value() const {
    Bounded result = total_;
    result.noise += gamma(count_) * point_.unit() * magnitude_;
    result.settle();
    return result;
  }

 private:
  Round point_;
  Bounded total_ = 0.0;
  double magnitude_ = 0.0;
  int64_t count_ = 0;
};

}  // namespace parity

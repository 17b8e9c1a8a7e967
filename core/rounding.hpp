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

/// What a rounding point rounds to. "working" is the model's type T; an implementation that computes on T tensors
/// evaluates each operation in binary32 first, so T = bf16 means R(F(x)).
enum class Precision : uint8_t {
  exact,     // no rounding here
  working,   // T
  single,    // binary32; binary64 in a binary64 capture
  binary32,  // binary32 even in a binary64 capture (rotary tables)
};

[[nodiscard]] const char* to_string(Precision precision);

/// One named rounding point, bound to a working type.
struct Round {
  Precision precision = Precision::exact;
  DType working = DType::f64;
  bool active = false;  // false: the value passes unchanged, a Bounded still gains the rounding's error

  /// Rounds when the walk does; a binary32 point belongs to the definition and rounds in exact walks too.
  [[nodiscard]] double operator()(double x) const { return active || precision == Precision::binary32 ? apply(x) : x; }
  [[nodiscard]] Bounded operator()(Bounded x) const;
  /// u of the type that this point rounds to; 0 for `exact`.
  [[nodiscard]] double unit() const;
  /// The type that this point rounds to.
  [[nodiscard]] DType target() const;

 private:
  [[nodiscard]] double apply(double x) const;
};

/// A constant of the formula as `point` rounds it. Its error in an exact walk is known: nothing for 2 or 7.
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

/// How a whole walk rounds: the profile's table, the working type, and whether the points are active.
class Rounding {
 public:
  [[nodiscard]] static Rounding exact(DType working, const RoundingTable& table = {}) {
    return {working, table, false};
  }
  [[nodiscard]] static Rounding oracle(DType working, const RoundingTable& table = {}) {
    return {working, table, true};
  }

  [[nodiscard]] Round point(const std::string& component, const std::string& name, Precision fallback) const;
  [[nodiscard]] DType working() const { return working_; }
  [[nodiscard]] bool active() const { return active_; }

 private:
  Rounding(DType working, const RoundingTable& table, bool active)
      : working_(working), table_(table), active_(active) {}

  DType working_;
  RoundingTable table_;
  bool active_;
};

/// A sum of terms or products: accumulated in binary64, rounded once at `point`. Its error bound holds for any order of
/// accumulation in the point's precision: gamma(n) u sum|t|, gamma(n) = min(n, 6 sqrt(n)) (probabilistic bound of Higham
/// and Mary 2019 with lambda = 6).
template <class Num>
class Sum {
 public:
  explicit Sum(Round point) : point_(point) {}
  void add(Num term) { total_ += term; }
  void add_product(double a, double b) { total_ += a * b; }
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
  [[nodiscard]] Bounded value() const {
    Bounded result = total_;
    result.noise += gamma(count_) * point_.unit() * magnitude_;
    return result;
  }

 private:
  Round point_;
  Bounded total_ = 0.0;
  double magnitude_ = 0.0;
  int64_t count_ = 0;
};

}  // namespace parity

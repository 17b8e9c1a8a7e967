// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/rounding.hpp"

#include <cmath>

namespace parity {
namespace {

/// Round to nearest even of a binary32 to bf16; NaN and infinities pass.
double bf16_of(float x) {
  if (!std::isfinite(x)) return x;
  auto bits = std::bit_cast<uint32_t>(x);
  bits += 0x7FFFU + ((bits >> 16) & 1U);
  return std::bit_cast<float>(bits & 0xFFFF0000U);
}

}  // namespace

const char* to_string(Precision precision) {
  switch (precision) {
    case Precision::exact:
      return "exact";
    case Precision::working:
      return "working";
    case Precision::single:
      return "single";
    case Precision::binary32:
      return "binary32";
  }
  return "unknown";
}

DType Round::target() const {
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

double Round::unit() const { return precision == Precision::exact ? 0.0 : unit_roundoff(target()); }

double Round::apply(double x) const {
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

Bounded Round::operator()(Bounded x) const {
  if (precision == Precision::exact) return x;
  x.value = (*this)(x.value);
  const DType type = target();
  const double smallest_normal = std::ldexp(1.0, format_of(type).min_exponent);
  const double magnitude = std::max(std::abs(x.value) + x.error(), smallest_normal);
  constexpr double kFunctionUlps = 4.0;  // binary32 library functions are within 2 ulp = 4 u
  if (precision == Precision::working) {
    x.rounding += unit_roundoff(type) * magnitude;
    if (type != DType::f64) x.noise += kFunctionUlps * unit_roundoff(DType::f32) * magnitude;  // the operation before R
  } else {
    x.noise += kFunctionUlps * unit_roundoff(type) * magnitude;
  }
  return x;
}

Round Rounding::point(const std::string& component, const std::string& name, Precision fallback) const {
  const auto row = table_.find(component + "." + name);
  return {row == table_.end() ? fallback : row->second, working_, active_};
}

}  // namespace parity

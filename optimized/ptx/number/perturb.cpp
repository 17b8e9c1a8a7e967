// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/number/perturb.hpp"

#include <algorithm>
#include <cmath>

#include "optimized/ptx/number/exact.hpp"

namespace parity::ptx {
namespace {

uint64_t split_mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

double double_of(NumberType type, uint64_t code) {
  return std::bit_cast<double>(encode(NumberType::f64, decode(type, code), RoundingMode::nearest));
}

/// The distance between neighbours at x.
double unit_at(const Encoding& encoding, double x) {
  return std::ldexp(1.0, std::max(std::ilogb(x), 1 - encoding.bias()) - encoding.fraction_bits);
}

double absolute_bound(const Encoding& encoding, double exact, const ErrorBound& bound) {
  switch (bound.measure) {
    case ErrorMeasure::absolute:
      return bound.size;
    case ErrorMeasure::relative:
      return bound.size * std::abs(exact);
    case ErrorMeasure::ulp:
      return bound.size * unit_at(encoding, exact);
  }
  return 0.0;
}

/// The code nearest to a drawn point; where rounding has left the bound, the one on the other side of the point.
uint64_t perturbed_code(NumberType type, double exact, const ErrorBound& bound, uint64_t key) {
  const Encoding& encoding = encoding_of(type);
  const auto rounded = [&](double x, RoundingMode mode) {
    return encode(encoding, decode(NumberType::f64, std::bit_cast<uint64_t>(x)), mode);
  };
  const double size = absolute_bound(encoding, exact, bound);
  const double point = exact + fraction_of(key) * size;
  const uint64_t nearest = rounded(point, RoundingMode::nearest);
  if (std::abs(double_of(type, nearest) - exact) <= size) return nearest;
  const uint64_t inner = rounded(point, point > exact ? RoundingMode::down : RoundingMode::up);
  if (std::abs(double_of(type, inner) - exact) <= size) return inner;
  return rounded(exact, RoundingMode::nearest);  // no other code is within the bound: subnormal results
}

}  // namespace

uint64_t mix(uint64_t a, uint64_t b, uint64_t c) { return split_mix(split_mix(split_mix(a) ^ b) ^ c); }

double fraction_of(uint64_t key) { return std::ldexp(static_cast<double>(key >> 11), -52) - 1.0 + 0x1p-53; }

float perturbed(double exact, const ErrorBound& bound, uint64_t key) {
  return std::bit_cast<float>(static_cast<uint32_t>(perturbed_code(NumberType::f32, exact, bound, key)));
}

uint64_t perturbed_half(NumberType type, double exact, const ErrorBound& bound, uint64_t key) {
  return perturbed_code(type, exact, bound, key);
}

}  // namespace parity::ptx

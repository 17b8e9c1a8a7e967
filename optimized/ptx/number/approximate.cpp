// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/number/approximate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "optimized/ptx/number/environment.hpp"
#include "optimized/ptx/number/exact_operations.hpp"
#include "optimized/ptx/number/native.hpp"
#include "optimized/ptx/number/perturb.hpp"

namespace parity::ptx {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// Computes in binary64: exactly for the arguments that a table of the ISA lists, else within a few ulp of binary64.
double in_double(Approximation function, double a, double b) {
  switch (function) {
    case Approximation::ex2:
    case Approximation::ex2_f16:
    case Approximation::ex2_bf16:
      return std::exp2(a);
    case Approximation::lg2:
      return std::log2(a);
    case Approximation::sin:
      return std::sin(a);
    case Approximation::cos:
      return std::cos(a);
    case Approximation::tanh:
    case Approximation::tanh_f16:
    case Approximation::tanh_bf16:
      return std::tanh(a);
    case Approximation::rsqrt:
      return 1.0 / std::sqrt(a);
    case Approximation::rcp:
      return 1.0 / a;
    case Approximation::sqrt:
      return std::sqrt(a);
    case Approximation::div:
    case Approximation::div_full:
      return a / b;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// Results that the ISA prescribes: they are exact with a seed, too.
bool is_given(double a, double value) { return a == 0.0 || !std::isfinite(a) || !std::isfinite(value) || value == 0.0; }

}  // namespace

std::optional<ErrorBound> documented_error(Approximation function, double argument) {
  const double x = std::abs(argument);
  switch (function) {
    case Approximation::ex2:
      return ErrorBound{ErrorMeasure::ulp, 2.5, "9.7.3.21"};  // 2 from the rounded result; an H100 reaches 2.38
    case Approximation::lg2:
      return ErrorBound{x > 0.5 && x < 2.0 ? ErrorMeasure::absolute : ErrorMeasure::relative, 0x1p-22, "9.7.3.20"};
    case Approximation::sin:
    case Approximation::cos: {
      if (!(x <= 100.0 * kPi)) return std::nullopt;
      const double size = x <= 2.0 * kPi ? std::exp2(-20.5) : std::exp2(-14.7);
      return ErrorBound{ErrorMeasure::absolute, size, function == Approximation::sin ? "9.7.3.18" : "9.7.3.19"};
    }
    case Approximation::tanh:
      return ErrorBound{ErrorMeasure::relative, 0x1p-11, "9.7.3.22"};
    case Approximation::rsqrt:
      return ErrorBound{ErrorMeasure::relative, std::exp2(-22.9), "9.7.3.16"};
    case Approximation::rcp:
      return ErrorBound{ErrorMeasure::ulp, 1.0, "9.7.3.13"};
    case Approximation::sqrt:
      return ErrorBound{ErrorMeasure::relative, 0x1p-23, "9.7.3.15"};
    case Approximation::div:
      if (!(x >= 0x1p-126 && x <= 0x1p126)) return std::nullopt;
      return ErrorBound{ErrorMeasure::ulp, 2.0, "9.7.3.8"};
    case Approximation::div_full:
      return ErrorBound{ErrorMeasure::ulp, 2.0, "9.7.3.8"};
    case Approximation::ex2_f16:
      return ErrorBound{ErrorMeasure::relative, std::exp2(-9.9), "9.7.4.10"};
    case Approximation::ex2_bf16:
      return ErrorBound{ErrorMeasure::relative, 0x1p-7, "9.7.4.10"};
    case Approximation::tanh_f16:
      return ErrorBound{ErrorMeasure::absolute, std::exp2(-10.987), "9.7.4.9"};
    case Approximation::tanh_bf16:
      return ErrorBound{ErrorMeasure::absolute, 0x1p-8, "9.7.4.9"};
  }
  return std::nullopt;
}

float approximate(Approximation function, float a, float b, const ApproximationMode& mode) {
  const NearestEnvironment nearest;
  if (mode.ftz) {
    a = native::flushed(a);
    b = native::flushed(b);
  }
  const bool divides = function == Approximation::div || function == Approximation::div_full;
  const bool huge = function == Approximation::div && std::abs(b) > 0x1p126F && std::isfinite(b);
  if (huge && !std::isnan(a)) {  // 1/b is flushed to zero: 9.7.3.8
    return std::isinf(a) ? native::kNaN<float> : std::copysign(0.0F, std::signbit(a) == std::signbit(b) ? 1.0F : -1.0F);
  }
  double value = in_double(function, a, b);
  if (function == Approximation::rsqrt && a == 0.0F) value = std::copysign(std::numeric_limits<double>::infinity(), a);
  if (mode.seed && !is_given(a, value) && !(divides && is_given(b, value))) {
    const uint64_t operands = static_cast<uint64_t>(std::bit_cast<uint32_t>(a)) << 32 | std::bit_cast<uint32_t>(b);
    if (const auto bound = documented_error(function, divides ? b : a)) {
      const uint64_t key = mix(*mode.seed, static_cast<uint64_t>(function), divides ? operands : operands >> 32);
      return native::result<false>(mode.ftz ? native::flushed(perturbed(value, *bound, key))
                                            : perturbed(value, *bound, key));
    }
  }
  const float result = native::result<false>(static_cast<float>(value));
  return mode.ftz ? native::flushed(result) : result;
}

uint16_t approximate_half(Approximation function, uint16_t code, const ApproximationMode& mode) {
  const NearestEnvironment nearest;
  const bool brain = function == Approximation::ex2_bf16 || function == Approximation::tanh_bf16;
  const NumberType type = brain ? NumberType::bf16 : NumberType::f16;
  const bool ftz = function == Approximation::ex2_bf16;
  const Encoding& encoding = encoding_of(type);
  uint64_t argument = code;
  if (ftz) argument = flush(encoding, argument);
  const double a = brain ? native::f32_of_bf16(static_cast<uint16_t>(argument))
                         : native::f32_of_f16(static_cast<uint16_t>(argument));
  double value = in_double(function, a, 0.0);
  if (mode.seed && !is_given(a, value)) {
    const uint64_t key = mix(*mode.seed, static_cast<uint64_t>(function), code);
    return static_cast<uint16_t>(perturbed_half(type, value, *documented_error(function, a), key));
  }
  const uint64_t rounded = encode(type, decode(NumberType::f64, std::bit_cast<uint64_t>(value)), RoundingMode::nearest);
  return static_cast<uint16_t>(ftz ? flush(encoding, rounded) : rounded);
}

uint64_t approximate_f64(bool root, uint64_t code) {
  constexpr Encoding kUpper{11, 20, 0x7FEFFFFF, true, true, 0x7FFFFFFF};
  const Exact a = decode(kUpper, flush(kUpper, code >> 32));
  const Exact one = exact_of(false, 1, 0);
  if (root && a.is_zero()) return static_cast<uint64_t>(a.negative ? 0xFFF00000U : 0x7FF00000U) << 32;
  const Exact value = exact_quotient(one, root ? exact_root(a) : a);
  return flush(kUpper, encode(kUpper, value, RoundingMode::nearest)) << 32;
}

}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Arithmetic that is not rounded to nearest, minima of three numbers and of magnitudes, approximations in binary64: lane
// by lane through number/. Source: PTX ISA 9.0, sections 9.7.3 and 9.7.4.
#include <algorithm>

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"
#include "optimized/ptx/instructions/matrix.hpp"
#include "optimized/ptx/number/approximate.hpp"
#include "optimized/ptx/number/arithmetic.hpp"
#include "optimized/ptx/number/compare.hpp"

namespace parity::ptx {
namespace {

enum class RealOperation : uint8_t { sum, difference, product, fused, quotient, reciprocal, root };
constexpr uint8_t kFtz = 8, kSat = 16;  // of Step::mode2, above the rounding

/// The type's number is Step::width.
template <class U>
void arithmetic(Warp& warp, const Step& step) {
  const U *a = warp.at<U>(step.a), *b = warp.at<U>(step.b), *c = warp.at<U>(step.c);
  const auto type = static_cast<NumberType>(step.width);
  ArithmeticMode mode;
  mode.rounding = static_cast<RoundingMode>(step.mode2 & 7U);
  mode.ftz = (step.mode2 & kFtz) != 0;
  mode.sat = (step.mode2 & kSat) != 0;
  const auto of = [&](uint32_t l) {
    using enum RealOperation;
    switch (static_cast<RealOperation>(step.mode)) {
      case sum:
        return add(type, a[l], b[l], mode);
      case difference:
        return sub(type, a[l], b[l], mode);
      case product:
        return mul(type, a[l], b[l], mode);
      case fused:
        return fma(type, a[l], b[l], c[l], mode);
      case quotient:
        return div(type, a[l], b[l], mode);
      case reciprocal:
        return rcp(type, a[l], mode);
      default:
        return sqrt(type, a[l], mode);
    }
  };
  U values[kLanes] = {};
  for (uint32_t l = 0; l < kLanes; ++l) values[l] = has_lane(warp.mask, l) ? static_cast<U>(of(l)) : U{0};
  put(warp, step.d, values);
}

enum ExtremeFlag : uint8_t { greater = 1, flushes = 2, propagates = 4, magnitudes = 8, signs = 16, of_three = 32 };

template <class U, uint32_t numbers>
void extremes(Warp& warp, const Step& step) {
  const U *a = warp.at<U>(step.a), *b = warp.at<U>(step.b), *c = warp.at<U>(step.c);
  const auto type = static_cast<NumberType>(step.width);
  const bool most = (step.mode & greater) != 0;
  const ExtremeMode mode{(step.mode & flushes) != 0, (step.mode & propagates) != 0, (step.mode & magnitudes) != 0,
                         (step.mode & signs) != 0};
  constexpr uint32_t kBits = 8 * sizeof(U) / numbers;
  constexpr uint64_t kMask = ~uint64_t{0} >> (64 - kBits);
  U values[kLanes] = {};
  for (uint32_t l = 0; l < kLanes; ++l) {
    for (uint32_t at = 0; at < numbers * kBits; at += kBits) {
      const auto code = [&](const U* x) { return static_cast<uint64_t>(x[l]) >> at & kMask; };
      const uint64_t found = (step.mode & of_three) != 0 ? extreme(type, most, code(a), code(b), code(c), mode)
                                                         : extreme(type, most, code(a), code(b), mode);
      values[l] = static_cast<U>(values[l] | found << at);
    }
  }
  put(warp, step.d, values);
}

void double_approximation(Warp& warp, const Step& step) {
  const auto* a = warp.at<uint64_t>(step.a);
  uint64_t values[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) values[l] = approximate_f64(step.mode != 0, a[l]);
  put(warp, step.d, values);
}

int operation_of(const Decoder& d) {
  static constexpr std::array kNames{"add", "sub", "mul", "fma", "div", "rcp", "sqrt"};
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const char* name) { return d.is(name); });
  if (found == kNames.end()) return d.is("mad") ? static_cast<int>(RealOperation::fused) : -1;
  return static_cast<int>(found - kNames.begin());
}

Handler directed(Decoder& d, Step& step, Type type, RealOperation operation) {
  constexpr std::array kModes{RoundingMode::zero, RoundingMode::down, RoundingMode::up};
  ArithmeticMode mode;
  mode.rounding = kModes.at(static_cast<size_t>(d.take_one({"rz", "rm", "rp"})));
  mode.ftz = d.take("ftz");
  mode.sat = d.take("sat");
  const NumberType number = type == Type::f64 ? NumberType::f64 : NumberType::f32;
  with_line(d, [&] { check_arithmetic(number, mode); });
  d.need(operation == RealOperation::fused ? 4 : operation >= RealOperation::reciprocal ? 2 : 3);
  d.same(step, type);
  step.mode = static_cast<uint8_t>(operation);
  step.mode2 =
      static_cast<uint8_t>(static_cast<uint8_t>(mode.rounding) | (mode.ftz ? kFtz : 0U) | (mode.sat ? kSat : 0U));
  step.width = static_cast<uint8_t>(number);
  return type == Type::f64 ? &arithmetic<uint64_t> : &arithmetic<uint32_t>;
}

NumberType number_of(Type type) {
  switch (type) {
    case Type::f16:
    case Type::f16x2:
      return NumberType::f16;
    case Type::bf16:
    case Type::bf16x2:
      return NumberType::bf16;
    default:
      return type == Type::f64 ? NumberType::f64 : NumberType::f32;
  }
}

Handler extreme_of(Decoder& d, Step& step, Type type) {
  const bool three = d.operands() == 4, sign = d.take("xorsign"), absolute = d.take("abs");
  if (three && (type != Type::f32 || sign)) d.refuse("three operands need .f32 without .xorsign");
  if (sign != absolute && !three) d.refuse("'.xorsign.abs' is expected");
  step.mode =
      static_cast<uint8_t>((d.is("max") ? uint32_t{greater} : 0U) | (d.take("ftz") ? uint32_t{flushes} : 0U) |
                           (d.take("NaN") ? uint32_t{propagates} : 0U) | (absolute ? uint32_t{magnitudes} : 0U) |
                           (sign ? uint32_t{signs} : 0U) | (three ? uint32_t{of_three} : 0U));
  d.need(three ? 4 : 3);
  d.same(step, type);
  step.width = static_cast<uint8_t>(number_of(type));
  if (type == Type::f16x2 || type == Type::bf16x2) return &extremes<uint32_t, 2>;
  return bytes_of(type) == 2 ? &extremes<uint16_t, 1> : &extremes<uint32_t, 1>;
}

}  // namespace

Handler exact_group(Decoder& d, Step& step) {
  const Type type = d.peek_type();
  const bool real = type == Type::f32 || type == Type::f64;
  const bool extremes_of =
      (d.is("min") || d.is("max")) && is_real(type) && type != Type::f64 && (d.operands() == 4 || d.has("xorsign"));
  if (extremes_of) return d.take_type(), extreme_of(d, step, type);
  const int operation = operation_of(d);
  if (real && operation >= 0 && (d.has("rz") || d.has("rm") || d.has("rp")))
    return d.take_type(), directed(d, step, type, static_cast<RealOperation>(operation));
  if (type != Type::f64 || !d.has("approx") || !d.has("ftz") || (!d.is("rcp") && !d.is("rsqrt"))) return nullptr;
  d.take_type();
  d.take("approx");
  d.take("ftz");
  d.need(2);
  d.same(step, type);
  step.mode = d.is("rsqrt") ? 1 : 0;
  return &double_approximation;
}

}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/number/arithmetic.hpp"

#include <initializer_list>

#include "core/error.hpp"
#include "optimized/ptx/number/exact_operations.hpp"
#include "optimized/ptx/number/nan.hpp"

namespace parity::ptx {
namespace {

Exact operand(const Encoding& encoding, uint64_t code, const ArithmeticMode& mode) {
  return decode(encoding, mode.ftz ? flush(encoding, code) : code);
}

/// `operands`: of several NaN in f64 the last one is the result (number/nan.hpp).
uint64_t arithmetic_result(const Encoding& encoding, const Exact& x, const ArithmeticMode& mode,
                           std::initializer_list<uint64_t> operands) {
  if (x.is_nan() && encoding.fraction_bits == 52) {
    uint64_t result = kMadeNaN;
    for (const uint64_t code : operands) result = is_nan(encoding, code) ? quieted(code) : result;
    return result;
  }
  uint64_t code = encode(encoding, x, mode.rounding);
  if (mode.ftz) code = flush(encoding, code);
  if (mode.sat) return saturate(encoding, code);
  return mode.relu && (code & encoding.sign()) != 0 ? 0 : code;  // NaN has no sign
}

}  // namespace

uint64_t saturate(const Encoding& encoding, uint64_t code) {
  const uint64_t one = static_cast<uint64_t>(encoding.bias()) << encoding.fraction_bits;
  if ((code & encoding.sign()) != 0 || code > encoding.largest + 1) return 0;
  return code < one ? code : one;
}

uint64_t add(NumberType type, uint64_t a, uint64_t b, const ArithmeticMode& mode) {
  const Encoding& e = encoding_of(type);
  return arithmetic_result(e, exact_sum(operand(e, a, mode), operand(e, b, mode), mode.rounding), mode, {a, b});
}

uint64_t sub(NumberType type, uint64_t a, uint64_t b, const ArithmeticMode& mode) {
  const Encoding& e = encoding_of(type);
  return add(type, a, is_nan(e, b) ? b : b ^ e.sign(), mode);
}

uint64_t mul(NumberType type, uint64_t a, uint64_t b, const ArithmeticMode& mode) {
  const Encoding& e = encoding_of(type);
  return arithmetic_result(e, exact_product(operand(e, a, mode), operand(e, b, mode)), mode, {a, b});
}

uint64_t fma(NumberType type, uint64_t a, uint64_t b, uint64_t c, const ArithmeticMode& mode) {
  const Encoding& e = encoding_of(type);
  const Exact x = exact_fma(operand(e, a, mode), operand(e, b, mode), operand(e, c, mode), mode.rounding);
  return arithmetic_result(e, x, mode, {a, c, b});
}

uint64_t div(NumberType type, uint64_t a, uint64_t b, const ArithmeticMode& mode) {
  const Encoding& e = encoding_of(type);
  return arithmetic_result(e, exact_quotient(operand(e, a, mode), operand(e, b, mode)), mode, {b, a});
}

uint64_t rcp(NumberType type, uint64_t a, const ArithmeticMode& mode) {
  const Encoding& e = encoding_of(type);
  return div(type, static_cast<uint64_t>(e.bias()) << e.fraction_bits, a, mode);
}

uint64_t sqrt(NumberType type, uint64_t a, const ArithmeticMode& mode) {
  const Encoding& e = encoding_of(type);
  return arithmetic_result(e, exact_root(operand(e, a, mode)), mode, {a});
}

void check_arithmetic(NumberType type, const ArithmeticMode& mode) {
  const bool half = type == NumberType::f16 || type == NumberType::bf16;
  PARITY_CHECK(half || type == NumberType::f32 || type == NumberType::f64, unsupported,
               "no floating-point arithmetic of type .{}; use .f16, .bf16, .f32 or .f64", to_string(type));
  PARITY_CHECK(mode.rounding != RoundingMode::away, unsupported, "arithmetic has no .rna; use .rn, .rz, .rm or .rp");
  PARITY_CHECK(!half || mode.rounding == RoundingMode::nearest, unsupported,
               "arithmetic of .{} only rounds to nearest; use .rn", to_string(type));
  PARITY_CHECK(!mode.ftz || type == NumberType::f32 || type == NumberType::f16, unsupported,
               "arithmetic of .{} has no .ftz; leave it out", to_string(type));
  PARITY_CHECK(!mode.sat || type == NumberType::f32 || type == NumberType::f16, unsupported,
               "arithmetic of .{} has no .sat; leave it out", to_string(type));
  PARITY_CHECK(!mode.relu || (half && !mode.sat), unsupported,
               ".relu is only for fma of .f16 and .bf16 without .sat; clamp with max instead");
}

}  // namespace parity::ptx

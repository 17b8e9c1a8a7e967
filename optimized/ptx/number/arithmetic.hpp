// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Floating-point arithmetic on codes of f16, bf16, f32 and f64: computed exactly, rounded once, in integers. Any
// rounding, independent of the machine's floating-point state. Round-to-nearest f32 and f64 are quicker in
// number/native.hpp.
#pragma once

#include "optimized/ptx/number/types.hpp"

namespace parity::ptx {

/// Modifiers of an arithmetic instruction. `relu`: fma.relu of f16 and bf16; excludes `sat`.
struct ArithmeticMode {
  RoundingMode rounding = RoundingMode::nearest;
  bool ftz = false, sat = false, relu = false;
};

/// PTX ISA 9.7.3.3 to 9.7.3.6, 9.7.4.1 to 9.7.4.4. NaN results are canonical, of f64 those of
/// number/nan.hpp.
[[nodiscard]] uint64_t add(NumberType type, uint64_t a, uint64_t b, const ArithmeticMode& mode = {});
[[nodiscard]] uint64_t sub(NumberType type, uint64_t a, uint64_t b, const ArithmeticMode& mode = {});
[[nodiscard]] uint64_t mul(NumberType type, uint64_t a, uint64_t b, const ArithmeticMode& mode = {});
/// a b + c with one rounding.
[[nodiscard]] uint64_t fma(NumberType type, uint64_t a, uint64_t b, uint64_t c, const ArithmeticMode& mode = {});
/// div.rnd, 9.7.3.8.
[[nodiscard]] uint64_t div(NumberType type, uint64_t a, uint64_t b, const ArithmeticMode& mode = {});
/// rcp.rnd, 9.7.3.13.
[[nodiscard]] uint64_t rcp(NumberType type, uint64_t a, const ArithmeticMode& mode = {});
/// sqrt.rnd, 9.7.3.15; of a negative number NaN, of -0 -0.
[[nodiscard]] uint64_t sqrt(NumberType type, uint64_t a, const ArithmeticMode& mode = {});

/// .sat: [0, 1], NaN to +0. Also of -0, which is not above the lower bound +0.
[[nodiscard]] uint64_t saturate(const Encoding& encoding, uint64_t code);

/// Throws Error{unsupported} for what the ISA does not have: other types, roundings of f16 and bf16, .ftz of bf16 and
/// f64, .sat of bf16 and f64.
void check_arithmetic(NumberType type, const ArithmeticMode& mode);

}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The approximate instructions: correctly rounded, or moved by a seed within the error that PTX documents. Hardware
// computes them from tables that are not published, so a kernel must be right with any result within the bound.
#pragma once

#include <optional>
#include <string_view>

#include "optimized/ptx/number/types.hpp"

namespace parity::ptx {

enum class Approximation : uint8_t {
  ex2,
  lg2,
  sin,
  cos,
  tanh,
  rsqrt,
  rcp,
  sqrt,
  div,       // div.approx
  div_full,  // div.full
  ex2_f16,
  ex2_bf16,
  tanh_f16,
  tanh_bf16
};

/// What a documented error is relative to.
enum class ErrorMeasure : uint8_t { absolute, relative, ulp };

struct ErrorBound {
  ErrorMeasure measure = ErrorMeasure::relative;
  double size = 0.0;
  const char* section = "";  // of the PTX ISA
};

/// The documented bound where the argument is `argument` (of div: the divisor); none where the ISA promises none (sin
/// and cos beyond 100 pi, div.approx with a divisor outside [2^-126, 2^126]).
[[nodiscard]] std::optional<ErrorBound> documented_error(Approximation function, double argument);

/// How an approximate instruction errs. Without a seed it does not.
struct ApproximationMode {
  bool ftz = false;
  std::optional<uint64_t> seed = std::nullopt;
};

/// function(a) of f32; div and div_full: a / b. The result without a seed is correctly rounded, but where the exact
/// value is within some 2^-52 of it from a tie. Special arguments as the tables of PTX ISA 9.7.3.8 to 9.7.3.22 say.
/// With a seed it depends on the seed, the function and the arguments alone.
[[nodiscard]] float approximate(Approximation function, float a, float b, const ApproximationMode& mode = {});
/// ex2_f16, tanh_f16, ex2_bf16, tanh_bf16 of a code: 9.7.4.9, 9.7.4.10. ex2 of bf16 flushes subnormals: it has no other
/// form.
[[nodiscard]] uint16_t approximate_half(Approximation function, uint16_t a, const ApproximationMode& mode = {});

/// rcp.approx.ftz.f64 (`root` false), rsqrt.approx.ftz.f64: of the upper 32 bits, the lower 32 of the result are zero;
/// 9.7.3.14, 9.7.3.17. The ISA documents no bound: the result is rounded to nearest.
[[nodiscard]] uint64_t approximate_f64(bool root, uint64_t a);

}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Sum, product, quotient and root of numbers of at most 53 significant bits, exact but for the lowest of 64 bits, which
// then stands for all that is below it.
#pragma once

#include "optimized/ptx/number/exact.hpp"

namespace parity::ptx {

/// a + b; the sum of opposite equal numbers is +0, or -0 in rounding `down`.
[[nodiscard]] Exact exact_sum(const Exact& a, const Exact& b, RoundingMode mode);
/// a b.
[[nodiscard]] Exact exact_product(const Exact& a, const Exact& b);
/// a b + c.
[[nodiscard]] Exact exact_fma(const Exact& a, const Exact& b, const Exact& c, RoundingMode mode);
/// a / b.
[[nodiscard]] Exact exact_quotient(const Exact& a, const Exact& b);
/// Square root of a.
[[nodiscard]] Exact exact_root(const Exact& a);

}  // namespace parity::ptx

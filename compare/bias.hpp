// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Systematic error: noise averages out, bugs do not.
#pragma once

#include "compare/record.hpp"
#include "compare/tolerance.hpp"

namespace parity::compare {

/// Least squares got = scale * exact + offset, and the most significant mean of (got - rounded) over 16 quantiles of the
/// exact value, over rows and over columns. A mean counts only beyond what differences between correct implementations
/// explain: the noise bound plus a tenth of an ulp.
[[nodiscard]] Bias fit_bias(const Values& values);

}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Systematic error. The mean of correct rounding noise tends to zero, the mean of a bug's deviations does not.
#pragma once

#include "compare/judging/record.hpp"
#include "compare/judging/tolerance.hpp"

namespace parity::compare {

/// Fits got = scale * exact + offset by least squares. Also finds the most significant mean of (got - rounded) over 16
/// quantiles of the exact value, over rows and over columns. Only the part of a mean counts that exceeds the
/// differences between correct implementations: the noise bound plus a tenth of an ulp.
[[nodiscard]] Bias fit_bias(const Values& values);

}  // namespace parity::compare

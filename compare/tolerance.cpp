// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/tolerance.hpp"

#include <algorithm>
#include <cmath>

namespace parity::compare {

Tolerance::Tolerance(const Values& values) : values_(values) {
  row_error_.assign(static_cast<size_t>(values.row == 0 ? 0 : values.count / values.row), 0.0);
  for (int64_t first = 0; first < values.count; first += values.row) {
    double& row = row_error_[static_cast<size_t>(first / values.row)];
    for (int64_t i = first; i < first + values.row; ++i) {
      if (std::isfinite(values.exact[i])) largest_ = std::max(largest_, std::abs(values.exact[i]));
      const double error = std::abs(values.rounded[i] - values.exact[i]);
      if (std::isfinite(error)) row = std::max(row, error);
    }
    drift_ = std::max(drift_, row);
  }
  for (int64_t i = 0; values.row < values.telling_row && i < values.count; ++i) {
    const double error = std::abs(values.rounded[i] - values.exact[i]);
    if (std::isfinite(error) && values.rounding[i] > 0.0) share_ = std::max(share_, error / values.rounding[i]);
  }
  constexpr double kDamping = 0.5;  // a component may calm the drift that it inherits
  inherited_ = std::max(drift_, kDamping * values.chain_drift * largest_);
}

Terms Tolerance::terms(int64_t i) const {
  Terms result;
  result.rounding = values_.rounding[i];
  result.noise = values_.noise[i];
  result.oracle = row_error_[static_cast<size_t>(i / values_.row)];
  if (share_ > 0.0) result.oracle = std::max(result.oracle, share_ * result.rounding);
  result.last = result.rounding == 0.0 ? 0.0 : unit_roundoff(values_.dtype) * std::abs(values_.exact[i]);
  if (values_.working == DType::f64) {
    result.tolerance = 2.0 * (result.rounding + result.noise);
    if (values_.inherited)
      result.drift = kDriftFactor * inherited_ + std::ldexp(largest_, values_.binary32 ? -18 : -41);
  } else {
    result.tolerance = result.noise + std::min(result.rounding, kOracleFactor * result.oracle + result.last);
    if (values_.inherited)
      result.drift = (values_.working == DType::f32 ? kDriftFactorSingle : kDriftFactor) * inherited_;
  }
  result.tolerance += result.drift;
  return result;
}

}  // namespace parity::compare

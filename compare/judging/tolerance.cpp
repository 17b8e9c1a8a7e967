// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parity::compare {
namespace {

/// How often a normal number exceeds `factor` times the largest of n others: integral 2 phi(x) erf(x/sqrt2/factor)^n.
double exceeds(double factor, int64_t others) {
  constexpr double kStep = 0.005, kEnd = 10.0;
  double total = 0.0;
  for (double x = kStep / 2; x < kEnd; x += kStep)
    total += std::exp(-x * x / 2) * std::pow(std::erf(x / (std::sqrt(2.0) * factor)), others);
  return total * kStep * 2.0 / std::sqrt(2.0 * std::acos(-1.0));
}

std::vector<double> oracle_factors() {
  const double seldom = exceeds(kOracleFactor, kTellingRow);
  std::vector<double> factors(kTellingRow, std::numeric_limits<double>::infinity());
  for (int64_t others = 2; others < kTellingRow; ++others) {
    double low = kOracleFactor, high = 1e3;
    for (int i = 0; i < 40; ++i) {
      const double middle = std::sqrt(low * high);
      (exceeds(middle, others) > seldom ? low : high) = middle;
    }
    factors[static_cast<size_t>(others)] = high;
  }
  return factors;
}

}  // namespace

double oracle_factor(int64_t others) {
  static const std::vector<double> factors = oracle_factors();
  return others >= kTellingRow ? kOracleFactor : factors[static_cast<size_t>(others)];
}

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
  int64_t telling = 0;
  // All elements of a row share the softmax weights, so a row with few weights has few samples, however long it is.
  const bool tap_speaks = values.telling_row == kTellingRow || values.row < values.telling_row;
  for (int64_t i = 0; tap_speaks && i < values.count; ++i) {
    const double error = std::abs(values.rounded[i] - values.exact[i]);
    if (!std::isfinite(error) || values.rounding[i] == 0.0) continue;
    share_ = std::max(share_, error / values.rounding[i]);
    ++telling;
  }
  // The roundings of a single number may cancel in the oracle by chance, whoever rounds.
  const bool untold = values.telling_row == kTellingRow || values.count == 1;
  if (values.row < values.telling_row && untold) factor_ = oracle_factor(telling);
  constexpr double kDamping = 0.5;  // a component may reduce the drift that it inherits
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
    result.tolerance = result.noise + std::min(result.rounding, factor_ * result.oracle + result.last);
    if (values_.inherited)
      result.drift = (values_.working == DType::f32 ? kDriftFactorSingle : kDriftFactor) * inherited_;
  }
  result.tolerance += result.drift;
  return result;
}

}  // namespace parity::compare

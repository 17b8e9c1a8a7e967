// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/goldens/logits.hpp"

#include <algorithm>
#include <cmath>

namespace parity::compare {
namespace {

/// Returns the logarithm of the sum of exponentials of a row.
double log_total(const double* row, int64_t width) {
  const double largest = *std::max_element(row, row + width);
  double total = 0.0;
  for (int64_t v = 0; v < width; ++v) total += std::exp(row[v] - largest);
  return largest + std::log(total);
}

double divergence(const double* reference, const double* got, int64_t width) {
  const double reference_total = log_total(reference, width);
  const double got_total = log_total(got, width);
  double kl = 0.0;
  for (int64_t v = 0; v < width; ++v) {
    const double log_p = reference[v] - reference_total;
    kl += std::exp(log_p) * (log_p - (got[v] - got_total));
  }
  return std::max(kl, 0.0);
}

}  // namespace

Logits compare_logits(const Values& v) {
  Logits result;
  const auto finite = [&](const double* row) {
    return std::all_of(row, row + v.row, [](double x) { return std::isfinite(x); });
  };
  for (int64_t start = 0; start < v.count; start += v.row) {
    const double* reference = v.rounded + start;
    const double* got = v.got + start;
    if (!finite(reference) || !finite(got)) continue;
    const double* expected = std::max_element(reference, reference + v.row);
    const double margin = *expected - reference[std::max_element(got, got + v.row) - got];
    const double kl = divergence(reference, got, v.row);
    ++result.tokens;
    if (margin == 0.0) ++result.top1_agree;
    result.flip_margin = std::max(result.flip_margin, margin);
    result.kl_mean += kl;
    result.kl_max = std::max(result.kl_max, kl);
  }
  if (result.tokens > 0) result.kl_mean /= static_cast<double>(result.tokens);
  return result;
}

}  // namespace parity::compare

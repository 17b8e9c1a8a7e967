// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/bias.hpp"

#include <algorithm>
#include <cmath>

namespace parity::compare {
namespace {

constexpr int64_t kBins = 16;
constexpr int64_t kFewestOfGroup = 32;  // fewest elements of a group whose mean is judged

/// Sums of the deviations of one group of elements, and the mean deviation that a correct candidate may have.
struct Group {
  double sum = 0.0, squares = 0.0, allowed = 0.0, oracle = 0.0;
  int64_t count = 0;

  void add(double deviation, double allowance, double oracles) {
    sum += deviation;
    squares += deviation * deviation;
    allowed += allowance;
    oracle += oracles;
    ++count;
  }
  /// Returns the standard errors by which the mean exceeds its allowed range, or 0 if the mean is within that range.
  [[nodiscard]] double z() const {
    if (count < kFewestOfGroup) return 0.0;
    const auto n = static_cast<double>(count);
    const double mean = sum / n;
    const double low = std::min(-oracle / n, 0.0),
                 high = std::max(-oracle / n, 0.0);  // range from the oracle's mean error to 0
    if (!(mean > high + allowed / n || mean < low - allowed / n)) return 0.0;  // also returns 0 if a bound is NaN
    const double variance = std::max(squares / n - mean * mean, 0.0);
    constexpr double kLargest = 1e6;  // returned when the spread is 0: every element deviates alike
    return variance == 0.0 ? std::copysign(kLargest, mean)
                           : std::clamp(mean / std::sqrt(variance / n), -kLargest, kLargest);
  }
};

/// Adds every element to its group, `group_of(i, row, column)`, and stores the most significant group in `bias`.
template <class GroupOf>
void scan(const Values& v, int64_t groups, const char* word, const GroupOf& group_of, Bias& bias) {
  std::vector<Group> tally(static_cast<size_t>(groups));
  constexpr double kOwnTiles = 0.5, kSame = 0.1;  // shares of an ulp; other tiles may round to one side
  const double share = (v.rounds_freely ? kOwnTiles : kSame) * unit_roundoff(v.dtype);
  for (int64_t row = 0, i = 0; i < v.count; ++row) {
    for (int64_t column = 0; column < v.row; ++column, ++i) {
      const double deviation = v.got[i] - v.rounded[i];
      if (!std::isfinite(deviation) || !std::isfinite(v.exact[i])) continue;
      // A candidate that rounds at other points need not have the error that is common to the oracle's roundings.
      const double oracle = v.rounds_freely ? v.rounded[i] - v.exact[i] : 0.0;
      tally[static_cast<size_t>(group_of(i, row, column))].add(deviation, v.noise[i] + share * std::abs(v.exact[i]),
                                                               std::isfinite(oracle) ? oracle : 0.0);
    }
  }
  for (int64_t g = 0; g < groups; ++g) {
    const double z = tally[static_cast<size_t>(g)].z();
    if (std::abs(z) <= std::abs(bias.z)) continue;
    bias.z = z;
    bias.where = fmt::format("{} {}", word, g);
  }
}

void fit_line(const Values& v, Bias& bias) {
  double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (int64_t i = 0; i < v.count; ++i) {
    if (!std::isfinite(v.exact[i]) || !std::isfinite(v.got[i])) continue;
    n += 1.0;
    sx += v.exact[i];
    sy += v.got[i];
    sxx += v.exact[i] * v.exact[i];
    sxy += v.exact[i] * v.got[i];
  }
  const double determinant = n * sxx - sx * sx;
  if (n < 2.0 || determinant <= 1e-12 * n * sxx) return;  // constant values: no line can be fitted
  bias.scale = (n * sxy - sx * sy) / determinant;
  bias.offset = (sy - bias.scale * sx) / n;
}

/// Returns the edges of the quantiles of the exact values, estimated from evenly spaced elements.
std::vector<double> quantile_edges(const Values& v) {
  constexpr int64_t kSample = 4096;
  const int64_t step = std::max<int64_t>(v.count / kSample, 1);
  std::vector<double> sample;
  for (int64_t i = 0; i < v.count; i += step) {
    if (!std::isnan(v.exact[i])) sample.push_back(v.exact[i]);
  }
  std::sort(sample.begin(), sample.end());
  std::vector<double> edges;
  for (int64_t bin = 1; bin < kBins && !sample.empty(); ++bin) {
    edges.push_back(sample[sample.size() * static_cast<size_t>(bin) / static_cast<size_t>(kBins)]);
  }
  return edges;
}

}  // namespace

Bias fit_bias(const Values& v) {
  Bias bias;
  fit_line(v, bias);
  if (v.count < kFewestOfGroup) return bias;
  const auto edges = quantile_edges(v);
  const auto bin_of = [&](int64_t i, int64_t, int64_t) {
    return std::upper_bound(edges.begin(), edges.end(), v.exact[i]) - edges.begin();
  };
  scan(v, kBins, "value quantile", bin_of, bias);
  scan(
      v, v.count / v.row, "row", [](int64_t, int64_t row, int64_t) { return row; }, bias);
  scan(
      v, v.row, "column", [](int64_t, int64_t, int64_t column) { return column; }, bias);
  return bias;
}

}  // namespace parity::compare

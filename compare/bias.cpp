// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/bias.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace parity::compare {
namespace {

constexpr int64_t kBins = 16;
constexpr int64_t kFewest = 32;  // elements below which a mean says little

/// Mean deviation of one group and what may be expected of it.
struct Group {
  double sum = 0.0, squares = 0.0, allowed = 0.0;
  int64_t count = 0;

  void add(double deviation, double allowance) {
    sum += deviation;
    squares += deviation * deviation;
    allowed += allowance;
    ++count;
  }
  /// Standard errors of the mean; 0 while the mean is explained.
  [[nodiscard]] double z() const {
    if (count < kFewest) return 0.0;
    const auto n = static_cast<double>(count);
    const double mean = sum / n;
    if (std::abs(mean) <= allowed / n) return 0.0;
    const double variance = std::max(squares / n - mean * mean, 0.0);
    constexpr double kLargest = 1e6;  // every element deviates alike
    return variance == 0.0 ? std::copysign(kLargest, mean) : std::clamp(mean / std::sqrt(variance / n), -kLargest, kLargest);
  }
};

/// Adds every element to the group `group_of(i)` and keeps the most significant one.
template <class GroupOf>
void scan(const Values& v, int64_t groups, const char* word, const GroupOf& group_of, Bias& bias) {
  std::vector<Group> tally(static_cast<size_t>(groups));
  for (int64_t i = 0; i < v.count; ++i) {
    const double deviation = v.got[i] - v.rounded[i];
    if (!std::isfinite(deviation) || !std::isfinite(v.exact[i])) continue;
    tally[static_cast<size_t>(group_of(i))].add(deviation, v.noise[i] + 0.1 * unit_roundoff(v.dtype) * std::abs(v.exact[i]));
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
  if (n < 2.0 || determinant <= 1e-12 * n * sxx) return;  // constant: no line to fit
  bias.scale = (n * sxy - sx * sy) / determinant;
  bias.offset = (sy - bias.scale * sx) / n;
}

/// Quantile of each element by exact value.
std::vector<int64_t> quantiles(const Values& v) {
  std::vector<int64_t> order(static_cast<size_t>(v.count));
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int64_t i) { return std::isnan(v.exact[i]) ? -std::numeric_limits<double>::infinity() : v.exact[i]; };
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return key(a) < key(b); });
  std::vector<int64_t> bin(static_cast<size_t>(v.count));
  for (int64_t rank = 0; rank < v.count; ++rank) bin[static_cast<size_t>(order[static_cast<size_t>(rank)])] = rank * kBins / v.count;
  return bin;
}

}  // namespace

Bias fit_bias(const Values& v) {
  Bias bias;
  fit_line(v, bias);
  if (v.count < kFewest) return bias;
  const auto bins = quantiles(v);
  scan(v, kBins, "value quantile", [&](int64_t i) { return bins[static_cast<size_t>(i)]; }, bias);
  scan(v, v.count / v.row, "row", [&](int64_t i) { return i / v.row; }, bias);
  scan(v, v.row, "column", [&](int64_t i) { return i % v.row; }, bias);
  return bias;
}

}  // namespace parity::compare

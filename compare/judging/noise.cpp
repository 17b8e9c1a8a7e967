// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/noise.hpp"

#include <algorithm>
#include <cmath>

namespace parity::compare {

Noise noise_of(const Values& v, const std::vector<bool>& tainted) {
  double noise = 0.0, apart = 0.0, worst = 0.0, far = 0.0;
  int64_t all = 0, counted = 0;
  std::vector<double> rows;
  Noise result;
  for (int64_t start = 0; start < v.count; start += v.row) {
    double row = 0.0, decided = 0.0, row_noise = 0.0;
    int64_t in_row = 0, counted_in_row = 0;
    for (int64_t i = start; i < start + v.row; ++i) {
      const double deviation = v.got[i] - v.rounded[i];
      const double error = v.rounded[i] - v.exact[i];
      if (!std::isfinite(deviation) || !std::isfinite(error)) continue;
      row_noise += error * error;
      row += deviation * deviation;
      ++in_row;
      const double own = v.got[i] - v.exact[i];
      far += own * own;
      if (!tainted.empty() && tainted[static_cast<size_t>(i)]) continue;
      decided += deviation * deviation;
      ++counted_in_row;
    }
    if (row_noise == 0.0 && row == 0.0) continue;  // only copied: a cache's earlier slots show no roundings
    noise += row_noise;
    all += in_row;
    counted += counted_in_row;
    rows.push_back(row);
    apart += decided;
    if (decided <= worst) continue;
    worst = decided;
    result.row = start / v.row;
  }
  if (noise == 0.0) return {};
  const double unit = noise / static_cast<double>(all);
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
  std::nth_element(rows.begin(), middle, rows.end());
  result.elements = counted;
  result.rows = static_cast<int64_t>(rows.size());
  result.error = std::sqrt(far / noise);
  result.ratio = counted == 0 ? 0.0 : std::sqrt(apart / static_cast<double>(counted) / unit);
  result.worst_row = std::sqrt(worst / static_cast<double>(v.row) / unit);
  result.median_row = std::sqrt(*middle / static_cast<double>(v.row) / unit);
  return result;
}

double samples_of(const Values& v, int64_t sharing) {
  double total = 0.0, squares = 0.0;
  for (int64_t start = 0; start < v.count; start += sharing) {
    double energy = 0.0;
    for (int64_t i = start; i < std::min(start + sharing, v.count); ++i) {
      const double error = v.rounded[i] - v.exact[i];
      if (std::isfinite(error)) energy += error * error;
    }
    total += energy;
    squares += energy * energy;
  }
  return squares == 0.0 ? 0.0 : total / squares * total;
}

Along along_exact(const Values& v, int64_t sharing) {
  double candidates = 0.0, oracles = 0.0, squares = 0.0;
  for (int64_t start = 0; start < v.count; start += sharing) {
    double size = 0.0, candidate = 0.0, oracle = 0.0;
    for (int64_t i = start; i < std::min(start + sharing, v.count); ++i) {
      if (!std::isfinite(v.got[i] - v.exact[i]) || !std::isfinite(v.rounded[i] - v.exact[i])) continue;
      size += v.exact[i] * v.exact[i];
      candidate += (v.got[i] - v.exact[i]) * v.exact[i];
      oracle += (v.rounded[i] - v.exact[i]) * v.exact[i];
    }
    if (size == 0.0) continue;
    candidates += candidate * candidate / size;
    const double energy = oracle * oracle / size;
    oracles += energy;
    squares += energy * energy;
  }
  if (squares == 0.0) return {};
  return {std::sqrt(candidates / oracles), oracles / squares * oracles};
}

double relative_deviation(const Values& v, const std::vector<bool>& tainted) {
  double apart = 0.0, whole = 0.0, concerned = 0.0, finite = 0.0;
  for (int64_t i = 0; i < v.count; ++i) {
    const double deviation = v.got[i] - v.rounded[i];
    if (!std::isfinite(deviation) || !std::isfinite(v.exact[i])) continue;
    whole += v.exact[i] * v.exact[i];
    finite += 1.0;
    if (tainted.empty() || !tainted[static_cast<size_t>(i)]) continue;
    apart += deviation * deviation;
    concerned += 1.0;
  }
  return whole == 0.0 || concerned == 0.0 ? 0.0 : std::sqrt(apart / concerned / (whole / finite));
}

}  // namespace parity::compare

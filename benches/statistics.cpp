// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/random.hpp"

namespace parity::benches {
namespace {

/// Returns the q-th quantile of a sorted list.
double between(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Returns P(U <= u) by counting arrangements; counts[u] holds those of n and m samples.
double exact_tail(size_t n, size_t m, int64_t u) {
  std::vector<std::vector<double>> ways(m + 1, std::vector<double>(n * m + 1, 0.0));
  // f(i, j, u) = f(i - 1, j, u - j) + f(i, j - 1, u); rows of i are overwritten in place.
  for (size_t j = 0; j <= m; ++j) ways[j][0] = 1.0;
  for (size_t i = 1; i <= n; ++i) {
    auto next = ways;
    for (size_t k = 1; k <= n * m; ++k) next[0][k] = 0.0;
    for (size_t j = 1; j <= m; ++j) {
      for (size_t k = 0; k <= n * m; ++k) next[j][k] = (k >= j ? ways[j][k - j] : 0.0) + next[j - 1][k];
    }
    ways = std::move(next);
  }
  double tail = 0.0, total = 0.0;
  for (size_t k = 0; k <= n * m; ++k) {
    total += ways[m][k];
    if (static_cast<int64_t>(k) <= u) tail += ways[m][k];
  }
  return tail / total;
}

}  // namespace

double quantile(std::vector<double> samples, double q) {
  PARITY_CHECK(!samples.empty(), internal, "a quantile needs samples");
  std::sort(samples.begin(), samples.end());
  return between(samples, q);
}

double spread(const std::vector<double>& samples) {
  return (quantile(samples, 0.75) - quantile(samples, 0.25)) / (2.0 * median(samples));
}

std::vector<double> ratios(const std::vector<double>& a, const std::vector<double>& b) {
  PARITY_CHECK(a.size() == b.size(), internal, "ratios need equal numbers of samples, but there are {} and {}",
               a.size(), b.size());
  std::vector<double> result;
  for (size_t i = 0; i < a.size(); ++i) result.push_back(a[i] / b[i]);
  return result;
}

Interval median_interval(const std::vector<double>& samples, double confidence) {
  PARITY_CHECK(!samples.empty(), internal, "a median needs samples");
  constexpr uint64_t kResamples = 1000;
  const Random random(1, "bootstrap of a median");
  std::vector<double> medians, drawn(samples.size());
  for (uint64_t r = 0; r < kResamples; ++r) {
    for (size_t i = 0; i < drawn.size(); ++i) drawn[i] = samples[random.below(r * drawn.size() + i, samples.size())];
    medians.push_back(median(drawn));
  }
  return {quantile(medians, (1.0 - confidence) / 2.0), quantile(medians, (1.0 + confidence) / 2.0)};
}

double rank_test(const std::vector<double>& a, const std::vector<double>& b) {
  PARITY_CHECK(!a.empty() && !b.empty(), internal, "ranks need samples");
  double u = 0.0;  // pairs in which a is larger; ties count half
  bool tied = false;
  for (const double x : a) {
    for (const double y : b) {
      u += x > y ? 1.0 : x == y ? 0.5 : 0.0;
      tied |= x == y;
    }
  }
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  u = std::min(u, n * m - u);
  constexpr size_t kExact = 20;
  if (!tied && a.size() <= kExact && b.size() <= kExact)
    return std::min(1.0, 2.0 * exact_tail(a.size(), b.size(), static_cast<int64_t>(u)));
  std::vector<double> all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::sort(all.begin(), all.end());
  double ties = 0.0;
  for (size_t i = 0; i < all.size();) {
    size_t end = i;
    while (end < all.size() && all[end] == all[i]) ++end;
    const auto t = static_cast<double>(end - i);
    ties += t * t * t - t;
    i = end;
  }
  const double count = n + m;
  const double variance = n * m / 12.0 * (count + 1.0 - ties / (count * (count - 1.0)));
  if (variance <= 0.0) return 1.0;  // all samples are equal
  const double z = std::max(0.0, n * m / 2.0 - u - 0.5) / std::sqrt(variance);
  return std::erfc(z / std::sqrt(2.0));
}

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      return "same";
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::inconclusive:
      return "inconclusive";
  }
  return "";
}

Verdict compare_times(const std::vector<double>& a, const std::vector<double>& b, const Rules& rules) {
  const Interval old = median_interval(a), now = median_interval(b);
  if (now.low > old.high * (1.0 + rules.gap) && rank_test(a, b) < rules.p) return Verdict::slower;
  if (old.low > now.high * (1.0 + rules.gap) && rank_test(a, b) < rules.p) return Verdict::faster;
  const bool same = now.high / old.low <= 1.0 + rules.tolerance && old.high / now.low <= 1.0 + rules.tolerance;
  return same ? Verdict::same : Verdict::inconclusive;
}

Verdict confirmed(Verdict first, Verdict again) { return first == again ? first : Verdict::inconclusive; }

Verdict compare_counts(int64_t a, int64_t b, const Rules& rules) {
  PARITY_CHECK(a > 0 && b > 0, internal, "counts of {} and {} instructions cannot be compared; both must be above 0", a,
               b);
  const double ratio = static_cast<double>(b) / static_cast<double>(a);
  if (ratio > 1.0 + rules.instructions) return Verdict::slower;
  return ratio < 1.0 / (1.0 + rules.instructions) ? Verdict::faster : Verdict::same;
}

}  // namespace parity::benches

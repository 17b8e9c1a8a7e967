// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Statistics of times: intervals, tests and verdicts. Pure functions of their arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parity::benches {

/// Returns the q-th quantile, interpolated linearly. Error{internal} for no samples.
[[nodiscard]] double quantile(std::vector<double> samples, double q);
[[nodiscard]] inline double median(const std::vector<double>& samples) { return quantile(samples, 0.5); }
/// Returns half the distance between the quartiles, relative to the median.
[[nodiscard]] double spread(const std::vector<double>& samples);

/// Returns a[i] / b[i], so that a disturbance of both samples cancels. Error{internal} for lists of different lengths.
[[nodiscard]] std::vector<double> ratios(const std::vector<double>& a, const std::vector<double>& b);
/// Samples with a larger spread are marked as unsteady.
inline constexpr double kUnsteady = 0.25;

struct Interval {
  double low, high;
};
/// Returns the bootstrap percentile interval of the median; it is the same for the same samples.
[[nodiscard]] Interval median_interval(const std::vector<double>& samples, double confidence = 0.99);

/// Returns the two-sided p of the Mann-Whitney U test: exact without ties for up to 20 samples each, else the normal
/// approximation with corrections for ties and continuity.
[[nodiscard]] double rank_test(const std::vector<double>& a, const std::vector<double>& b);

enum class Verdict : uint8_t { same, faster, slower, inconclusive };
[[nodiscard]] const char* to_string(Verdict verdict);

struct Rules {
  double gap = 0.03;           // least relative gap between the intervals of two different times
  double p = 0.01;             // p of the rank test in both passes; smaller values miss slow kernels with interruptions
  double tolerance = 0.05;     // ratios within it count as the same time
  double instructions = 0.01;  // relative difference of counts that addresses and the allocator may cause
};

/// Compares `b` with `a`. Slower and faster need a gap between the intervals and the rank test; same needs the whole
/// interval of the ratio within the tolerance.
[[nodiscard]] Verdict compare_times(const std::vector<double>& a, const std::vector<double>& b,
                                    const Rules& rules = {});
/// Returns the verdict on which two independent comparisons agree, or `inconclusive`.
[[nodiscard]] Verdict confirmed(Verdict first, Verdict again);
[[nodiscard]] Verdict compare_counts(int64_t a, int64_t b, const Rules& rules = {});

}  // namespace parity::benches

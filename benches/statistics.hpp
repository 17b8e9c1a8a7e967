// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What may be concluded from times. Pure functions of their arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parity::benches {

/// The q-th quantile, between neighbours linearly; Error{internal} for no samples.
[[nodiscard]] double quantile(std::vector<double> samples, double q);
[[nodiscard]] inline double median(const std::vector<double>& samples) { return quantile(samples, 0.5); }
/// Half the distance between the quartiles, relative to the median.
[[nodiscard]] double spread(const std::vector<double>& samples);

/// a over b, round by round: what was slow for both in one round is no difference. Error{internal} for lists of two lengths.
[[nodiscard]] std::vector<double> ratios(const std::vector<double>& a, const std::vector<double>& b);
/// Samples that vary by so much are marked.
inline constexpr double kUnsteady = 0.25;

struct Interval {
  double low, high;
};
/// Bootstrap percentile interval of the median; the same every time.
[[nodiscard]] Interval median_interval(const std::vector<double>& samples, double confidence = 0.99);

/// Two-sided p of the Mann-Whitney U test: exact without ties for up to 20 samples each, else the normal approximation with
/// corrections for ties and continuity.
[[nodiscard]] double rank_test(const std::vector<double>& a, const std::vector<double>& b);

enum class Verdict : uint8_t { same, faster, slower, inconclusive };
[[nodiscard]] const char* to_string(Verdict verdict);

struct Rules {
  double gap = 0.03;           // between the intervals of two different times
  double p = 0.01;             // of the rank test, in both passes; smaller ones miss slow kernels that were interrupted
  double tolerance = 0.05;     // ratios within it are the same time
  double instructions = 0.01;  // counts may differ by so much: addresses and the allocator move them a little
};

/// `b` against `a`. Slower and faster need a gap between the intervals and the rank test; same needs the whole interval of
/// the ratio within the tolerance.
[[nodiscard]] Verdict compare_times(const std::vector<double>& a, const std::vector<double>& b,
                                    const Rules& rules = {});
/// What two independent comparisons say together: what only one of them says is inconclusive.
[[nodiscard]] Verdict confirmed(Verdict first, Verdict again);
[[nodiscard]] Verdict compare_counts(int64_t a, int64_t b, const Rules& rules = {});

}  // namespace parity::benches

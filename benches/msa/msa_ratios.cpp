// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Compares the samples of one run with each other, and with the time of an ideal kernel.
#include <cmath>
#include <limits>

#include "benches/msa/msa_table.hpp"
#include "benches/statistics.hpp"

namespace parity::benches {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// Returns the sum of several columns, sample by sample; empty if a column is missing or has another number of samples.
std::vector<double> rounds_of(const TableRow& row, const std::vector<std::string>& columns, Caches caches,
                              double more) {
  std::vector<double> sums;
  for (const std::string& column : columns) {
    const auto found = row.cells.find(column);
    if (found == row.cells.end()) return {};
    const std::vector<double>& samples = caches == Caches::cold ? found->second.cold : found->second.samples;
    if (sums.empty()) sums.assign(samples.size(), more);
    if (samples.empty() || samples.size() != sums.size()) return {};
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += samples[i];
  }
  return sums;
}

}  // namespace

bool is_doubtful(const std::vector<double>& samples) { return !samples.empty() && spread(samples) > kDoubtful; }

bool is_busy(const std::vector<double>& samples) { return !samples.empty() && spread(samples) > kBusy; }

double Ratio::value() const { return rounds.empty() ? kNothing : median(rounds); }
double Ratio::spread() const { return rounds.empty() ? kNothing : benches::spread(rounds); }

Ratio ratio_of(const TableRow& row, const Timings& over, const Timings& under, Caches caches) {
  const std::vector<double> above = rounds_of(row, over.columns, caches, over.more);
  const std::vector<double> below = rounds_of(row, under.columns, caches, under.more);
  Ratio ratio;
  if (above.size() != below.size()) return ratio;
  for (size_t i = 0; i < above.size(); ++i) {
    if (!std::isfinite(above[i] / below[i])) return {};
    ratio.rounds.push_back(above[i] / below[i]);
  }
  return ratio;
}

Ratio ratio_of(const TableRow& row, const Timings& over, const Timings& under) {
  return ratio_of(row, over, under, row.caches());
}

double ideal_ratio(const TableRow& row, const Peaks& peaks, DType type) {
  const bool cold = row.caches() == Caches::cold;
  const auto ideal = [&](const Work& work) { return ideal_seconds(peaks, type, work, cold); };
  return ideal(row.dense) / (ideal(row.index) + ideal(row.sparse));
}

Ratio share_of_ideal(const TableRow& row, const Peaks& peaks, DType type) {
  if (peaks.read <= 0) return {};
  Ratio ratio = ratio_of(row, {{"dense"}}, {{"msa"}});
  for (double& round : ratio.rounds) round /= ideal_ratio(row, peaks, type);
  return ratio;
}

Ratio share_of_ideal_with(Selection selection, const TableRow& row, const MsaTable& table) {
  if (table.peaks.read <= 0) return {};
  const bool timed_with = table.options.selection == selection;
  Timings parts{{timed_with ? std::string("sparse") : std::string("sparse ") + to_string(selection)}};
  if (row.selects()) parts.columns.insert(parts.columns.end(), {"index", "select"});
  Ratio ratio = ratio_of(row, {{"dense"}}, parts);
  for (double& round : ratio.rounds) round /= ideal_ratio(row, table.peaks, table.options.type);
  return ratio;
}

std::optional<Share> share_of_column(const TableRow& row, const MsaTable& table, const std::string& column) {
  const double seconds = row.seconds(column);
  if (!std::isfinite(seconds) || table.peaks.read <= 0) return std::nullopt;
  const Work& work = column == "index" ? row.index : column.starts_with("sparse") ? row.sparse : row.dense;
  return share_of(table.peaks, table.options.type, work, row.caches() == Caches::cold, seconds);
}

Ratio layer_ratio(const TableRow& row, const MsaTable& table) {
  const DType type = table.options.type;
  return ratio_of(row, {{"sdpa"}, rest_of_layer(row, table.torch, type)},
                  {{"msa"}, rest_of_layer(row, table.own, type)});
}

}  // namespace parity::benches

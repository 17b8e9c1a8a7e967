// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Chooses which columns of a row are timed: those of the headline first, then those that explain it.
#include <algorithm>
#include <array>

#include "benches/msa/msa_table.hpp"

namespace parity::benches {
namespace {

constexpr std::array kMsa{"index", "select", "sparse", "msa"};
constexpr std::array kThen{"topk", "sparse model",  "sparse sticky", "sparse random",
                           "mask", "mask building", "concatenation", "naive"};

/// Returns the factor by which the cost of a column grows: that of its work, or 2 for judging if this is larger.
double growth_of(const std::string& column, const TableRow& before, const TableRow& next) {
  const bool sparse = column.starts_with("sparse") || column == "msa" || column == "naive";
  return std::max(2.0, sparse ? next.sparse.flops / before.sparse.flops : next.dense.flops / before.dense.flops);
}

/// Returns the expected seconds of a column: 0 if the row before lacks it, nothing if that row had no time left
/// for the column.
std::optional<double> expected(const std::string& column, const TableRow& before, const TableRow& next) {
  const auto found = before.cells.find(column);
  if (found == before.cells.end()) return 0.0;
  if (found->second.why == kNoTime) return std::nullopt;
  return growth_of(column, before, next) * found->second.cost;
}

}  // namespace

std::set<std::string> planned_columns(const TableRow& before, const TableRow& next, double left, int64_t later) {
  std::set<std::string> columns;
  double spent = 2.0 * before.overhead;
  const auto take = [&](const auto& together, double limit) {  // adds all of these columns or none
    double all = 0.0;
    for (const char* column : together) {
      const auto cost = expected(column, before, next);
      if (!cost) return;
      all += *cost;
    }
    if (spent + all > limit) return;
    columns.insert(together.begin(), together.end());
    spent += all;
  };
  take(kMsa, left);
  for (const char* column : {"dense", "sdpa"}) take(std::array{column}, left);
  // Reserves time for as many later rows as can be reached.
  double reserved = 0.0, row = spent;
  for (int64_t i = 0; i < later; ++i) {
    row *= growth_of("dense", before, next);
    if (spent + reserved + row > left) break;
    reserved += row;
  }
  for (const char* column : kThen) take(std::array{column}, left - reserved);
  return columns;
}

int calls_per_sample(double slowest) {
  constexpr double kSample = 0.02, kMost = 20.0;
  return static_cast<int>(std::clamp(kSample / std::max(slowest, 1e-9), 1.0, kMost));
}

}  // namespace parity::benches

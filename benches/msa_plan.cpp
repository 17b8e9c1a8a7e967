// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which columns of a row are given time: what the table is for first, then what explains it.
#include <algorithm>
#include <array>

#include "benches/msa_table.hpp"

namespace parity::benches {
namespace {

constexpr std::array kMsa{"index", "select", "sparse", "msa"};
constexpr std::array kThen{"topk", "sparse model",  "sparse sticky", "sparse random",
                           "mask", "mask building", "concatenation", "naive"};

/// By the work; judging and operands grow with the context whatever the kernel does.
double growth_of(const std::string& column, const TableRow& before, const TableRow& next) {
  const bool sparse = column.starts_with("sparse") || column == "msa" || column == "naive";
  return std::max(2.0, sparse ? next.sparse.flops / before.sparse.flops : next.dense.flops / before.dense.flops);
}

/// What a column will take: nothing is known of one that the row before did not have; nothing is hoped of one for which
/// there was no time.
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
  const auto take = [&](const auto& together, double limit) {  // all of them or none
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
  // Of the rows to come as many as can be reached.
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

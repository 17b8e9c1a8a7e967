// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Joins the reports of the shards of one run.
#pragma once

#include <string>
#include <vector>

#include "compare/judging/record.hpp"

namespace parity::reports {

/// A report and the name of its file, for messages.
struct ShardReport {
  std::string file;
  compare::RunReport report;
};

/// The report of the run whose shards these are, in any order: its goldens in the order of the run, and the
/// environment of the first shard. Verdict, counts and exit code are not set (compare::conclude).
/// Throws Error{usage} in one line: a report is no shard, a shard is missing or given twice, two are of different runs
/// (options, version or build), or a golden is in none or in two of them.
[[nodiscard]] compare::RunReport merged(std::vector<ShardReport> shards);

}  // namespace parity::reports

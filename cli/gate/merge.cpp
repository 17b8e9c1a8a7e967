// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity merge`: joins the reports of the shards of one run.

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/reports/report_file.hpp"
#include "cli/runs/run_parts.hpp"
#include "reports/json/json.hpp"

namespace parity::cli {
namespace {

/// Returns the exit code of goldens that could not be judged: the highest of those that the shards ended with.
int damage_of(const std::vector<reports::ShardReport>& shards) {
  int damage = holds;
  for (const reports::ShardReport& each : shards) {
    const int code = each.report.exit_code;
    if (code == golden_damaged || code == internal_error) damage = std::max(damage, code);
  }
  return damage;
}

}  // namespace

int finish_merged(std::vector<reports::ShardReport> shards, const RunOptions& options) {
  const int damage = damage_of(shards);
  compare::RunReport whole = reports::merged(std::move(shards));
  return finish(whole, options, damage);
}

int merge(const MergeOptions& options) {
  std::vector<reports::ShardReport> shards;
  for (const std::string& file : options.files) {
    const auto document = read_report_file(file);
    shards.push_back({file, with_context(file, [&] { return reports::from_json(document); })});
  }
  return finish_merged(std::move(shards), options.outputs);
}

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The parts of `parity run`: options, temporary goldens, judging and the exit code.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "compare/goldens/golden_run.hpp"
#include "compare/judging/record.hpp"
#include "golden/files/temporary_folder.hpp"
#include "reports/files/merge.hpp"

namespace parity::cli {

/// Returns how many of --json, --html, --sarif, --junit and --markdown go to stdout. If none does, the report is printed there as text.
[[nodiscard]] int documents_on_stdout(const RunOptions& options);
/// Returns how the goldens are judged. Error{usage} for words that are unknown or contradict each other.
[[nodiscard]] compare::RunOptions judged_options(const RunOptions& options);

/// Makes the golden for --synthetic in a temporary folder, which `folder` then owns; returns its path.
[[nodiscard]] std::string synthesized(const RunOptions& options, std::optional<golden::TemporaryFolder>& folder);
/// Replaces commands that read the temporary golden `made` by commands that make that golden again.
void rename_commands(compare::RunReport& report, const std::string& made, const RunOptions& options);
/// Prints time, memory and the rate of matrix products, for a golden of published size.
void print_work(std::chrono::steady_clock::time_point started);

/// Judges each golden, marks accepted deviations, describes values and causes. A golden that cannot be judged gets a
/// report that says why, and the others still run. `damage` is set to its exit code.
[[nodiscard]] compare::RunReport judge_all(const std::vector<std::string>& goldens, const RunOptions& options,
                                           compare::RunOptions& judged, int& damage);

/// Sets the allocator's policy. With drawn weights, freed memory is kept for the next expert: a fifth of the time.
/// With recordings, large tensors are returned to the system, so that resident memory is that of the largest span.
void choose_memory_policy(bool drawn);

/// Judges the goldens of the options, or the shard that they name, as `judged` says. `damage` is as for judge_all.
[[nodiscard]] compare::RunReport judged_report(const RunOptions& options, compare::RunOptions& judged, int& damage);
/// Joins the reports of all shards and finishes the whole.
int finish_merged(std::vector<reports::ShardReport> shards, const RunOptions& options);

/// Holds the report to the manifest, concludes it, prints and writes it. Returns its exit code.
int finish(compare::RunReport& report, const RunOptions& options, int damage);

/// Returns the exit code of a concluded report. `damage` must be `holds` unless a golden could not be judged.
[[nodiscard]] int exit_code_of(const compare::RunReport& report, int damage);

}  // namespace parity::cli

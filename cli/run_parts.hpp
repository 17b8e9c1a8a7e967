// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The parts of `parity run`: what it judges by, the goldens that it makes, judging, and the exit code.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "compare/golden_run.hpp"
#include "compare/record.hpp"
#include "golden/temporary_folder.hpp"

namespace parity::cli {

/// How many of --json, --junit and --markdown go to stdout; the text for people does if it is none.
[[nodiscard]] int documents_on_stdout(const RunOptions& options);
/// What the goldens are judged by. Error{usage} for words that are not known or contradict each other.
[[nodiscard]] compare::RunOptions judged_options(const RunOptions& options);

/// Makes the golden that --synthetic asks for in a folder that lives as long as `folder`; returns its path.
[[nodiscard]] std::string synthesized(const RunOptions& options, std::optional<golden::TemporaryFolder>& folder);
/// That golden is gone after the run: commands that read it become commands that make it again.
void rename_commands(compare::RunReport& report, const std::string& made, const RunOptions& options);
/// For a golden of published size: where the time went.
void print_work(std::chrono::steady_clock::time_point started);

/// Judges each golden, with accepted deviations, values and causes. A golden that cannot be judged at all is a report of its
/// own, so that the others still run; `damage` becomes the exit code for it.
[[nodiscard]] compare::RunReport judge_all(const std::vector<std::string>& goldens, const RunOptions& options,
                                           compare::RunOptions& judged, int& damage);

/// Of a concluded report; `damage` is `holds` unless a golden could not be read.
[[nodiscard]] int exit_code_of(const compare::RunReport& report, int damage);

}  // namespace parity::cli

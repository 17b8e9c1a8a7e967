// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity run --shard 2/4`: which goldens of a run this process judges.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "compare/judging/record.hpp"
#include "core/plan.hpp"

namespace parity::cli {

/// An estimate of what judging all taps of a plan costs: its products and sums, and the bytes of its taps. It is the
/// same on every machine.
[[nodiscard]] double cost_of_plan(const Plan& plan);
/// That of a golden's plan; little if the golden cannot be opened.
[[nodiscard]] double cost_of_golden(const std::string& path);

/// Returns this process's part of the goldens of a run, or nothing if it judges them all. Throws Error{usage} if there
/// are more shards than goldens, or an option concerns all goldens.
[[nodiscard]] std::optional<compare::Shard> shard_of(const RunOptions& options);

/// Returns the words of a command line as text, without those that choose a shard, name files to write or
/// say what is printed.
[[nodiscard]] std::string whole_command(const std::vector<std::string>& words);

}  // namespace parity::cli

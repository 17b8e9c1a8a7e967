// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The studies of `parity selftest`. Each prints its table and returns the exit code.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/commands.hpp"

namespace parity::cli {

/// Plants every fault of the catalogue in a candidate.
int selftest_faults(const SelftestOptions& options, const std::vector<std::filesystem::path>& goldens);
/// Compares the judge with the acceptance rules of other projects on the same candidates.
int selftest_judges(const SelftestOptions& options, const std::vector<std::filesystem::path>& goldens);
/// Explains every fault with a catalogue that lacks it.
int selftest_leave_one_out(const SelftestOptions& options, const std::vector<std::filesystem::path>& goldens);
/// Judges captures of real engines whose defects are known.
int selftest_engines(const SelftestOptions& options);
/// Runs every kernel of the registry under guards.
int selftest_guards(const SelftestOptions& options);
/// Corrupts recordings at random; the judge must notice and locate each corruption.
int selftest_corruptions(const SelftestOptions& options, const std::vector<std::filesystem::path>& goldens);
/// Damages values of recordings in known ways; the judge must name each kind of damage.
int selftest_value_corruptions(const SelftestOptions& options, const std::vector<std::filesystem::path>& goldens);
/// Runs correct kernels with another order of operations; none may be judged wrong.
int selftest_false_alarms(const SelftestOptions& options);

/// Plants faults of ranks and of messages between them; the judge must name the rank or the link.
int selftest_ranks(const SelftestOptions& options, const std::vector<std::filesystem::path>& goldens);
/// Damages captures; none may be judged green.
int selftest_damaged_captures(const SelftestOptions& options, const std::vector<std::filesystem::path>& goldens);

}  // namespace parity::cli

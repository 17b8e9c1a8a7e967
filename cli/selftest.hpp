// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The studies behind `parity selftest`; each prints its table and returns the exit code.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/commands.hpp"

namespace parity::cli {

/// Plants every fault of the catalogue in a candidate.
int selftest_faults(const SelftestOptions& options, const std::vector<std::filesystem::path>& goldens);
/// Corrupts recordings at random.
int selftest_corruptions(const SelftestOptions& options, const std::vector<std::filesystem::path>& goldens);
/// Runs correct kernels that compute in another order; none may be accused.
int selftest_false_alarms(const SelftestOptions& options);

}  // namespace parity::cli

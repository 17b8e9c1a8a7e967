// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the two files of `parity bench` share.
#pragma once

#include "cli/study_commands.hpp"

namespace parity::cli {

/// `parity bench --counters`.
int bench_counters(const BenchOptions& options);
/// Says that no case was chosen, with the nearest one, and returns the exit code for it.
int no_case_matches(const BenchOptions& options);

}  // namespace parity::cli

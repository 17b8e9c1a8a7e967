// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the two files of `parity bench` share.
#pragma once

#include "cli/studies/study_commands.hpp"
#include "optimized/ptx/bound/gpu.hpp"

namespace parity::cli {

/// `parity bench --counters`.
int bench_counters(const BenchOptions& options);
/// With --table sdpa-msa.
int bench_msa_counters(const BenchOptions& options);
/// Error{usage} with the ids that there are.
const ptx::Gpu& gpu_named(const std::string& id);
/// Says that no case was chosen, with the nearest one, and returns the exit code for it.
int no_case_matches(const BenchOptions& options);

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity run --synthetic m3 --cases N`: judges whole models of drawn sizes, boundary shapes first.
#pragma once

#include "cli/commands.hpp"
#include "compare/goldens/golden_run.hpp"

namespace parity::cli {

/// Judges each case as `judged` says, and reduces the first failing case to the smallest extents that still fail.
int run_model_cases(const RunOptions& options, compare::RunOptions judged);

}  // namespace parity::cli

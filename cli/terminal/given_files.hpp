// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Checks the files that a command line names before the command runs.
#pragma once

#include <CLI/CLI.hpp>

namespace parity::cli {

/// Checks the files of the parsed commands. Throws Error{usage} for an empty value, two results in one file,
/// a result that would overwrite an input, a recording or weights, and a file that cannot be written.
void check_given_files(const CLI::App& app);

}  // namespace parity::cli

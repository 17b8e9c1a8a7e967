// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The files that a command line names, before anything runs: what is to be written can be, and destroys nothing.
#pragma once

#include <CLI/CLI.hpp>

namespace parity::cli {

/// Of the commands that were parsed. Error{usage}: an option without a value; two results in one file; a result in the place
/// of something that is read, of a recording or of weights; a file that cannot be written.
void check_given_files(const CLI::App& app);

}  // namespace parity::cli

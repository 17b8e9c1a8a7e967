// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Shell completion and the manual page, both derived from the parser's declarations.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace parity::cli {

/// Returns the words, sorted, that can replace the last word of `line`, for example of "parity run golden/da".
[[nodiscard]] std::vector<std::string> completions(const CLI::App& app, const std::string& line);
/// Returns the completion script of bash, zsh or fish, to be sourced. Error{usage} for any other shell.
[[nodiscard]] std::string completion_script(const std::string& shell);
/// Returns the manual page in the macros of man(7).
[[nodiscard]] std::string manual_page(const CLI::App& app);

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What may follow on the command line, from the parser's own declarations: for shells.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace parity::cli {

/// Of a line such as "parity run golden/da": words that can take the place of its last one, sorted.
[[nodiscard]] std::vector<std::string> completions(const CLI::App& app, const std::string& line);
/// What a shell sources: bash, zsh or fish. Error{usage} for others.
[[nodiscard]] std::string completion_script(const std::string& shell);
/// The manual page, in the macros of man(7).
[[nodiscard]] std::string manual_page(const CLI::App& app);

}  // namespace parity::cli

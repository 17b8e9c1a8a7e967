// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Quoting of shell commands that users paste: their words may come from files and folders of unknown origin.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parity {

/// Any text as one quoted word of a shell command. Control characters are escaped as bash, zsh and ksh read them:
/// $'\x1b'.
[[nodiscard]] std::string shell_quoted(std::string_view word);
/// The words joined by blanks; only words with characters that need quotes are quoted.
[[nodiscard]] std::string shell_line(const std::vector<std::string>& words);

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Commands that are printed for people to paste: names come out of files and folders that others made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parity {

/// One word of a shell command, in quotes, whatever is in it. Control characters are written as bash, zsh and ksh read
/// them: $'\x1b'.
[[nodiscard]] std::string shell_quoted(std::string_view word);
/// The words with blanks between them, quotes only around those that need them.
[[nodiscard]] std::string shell_line(const std::vector<std::string>& words);

}  // namespace parity

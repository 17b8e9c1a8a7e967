// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Quoting of shell commands that users paste: their words may come from files and folders of unknown origin.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parity {

/// The bytes of the control character at `at`; 0 if there is another one. U+0080 to U+009F, two bytes in UTF-8, are
/// control characters, too: U+009B begins an escape sequence on some terminals.
[[nodiscard]] size_t control_bytes(std::string_view word, size_t at);

/// Any text as one quoted word of a shell command. Control characters are escaped as bash, zsh and ksh read them:
/// $'\x1b'.
[[nodiscard]] std::string shell_quoted(std::string_view word);
/// The words joined by blanks; only words with characters that need quotes are quoted.
[[nodiscard]] std::string shell_line(const std::vector<std::string>& words);

}  // namespace parity

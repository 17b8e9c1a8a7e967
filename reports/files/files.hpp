// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Writes the output files of reports.
#pragma once

#include <string>
#include <string_view>

namespace parity::reports {

/// Writes `text` to `path` completely or not at all, by renaming a temporary file in the same folder. Creates folders.
/// "-" is the standard output. Devices and pipes are written to, and links are kept. Throws Error{io}.
void write_text_atomically(const std::string& path, std::string_view text);

/// Call this before a long run. Throws Error{io} if write_text_atomically could not write to `path`. It changes no
/// existing file and leaves no new one, but may create a folder.
void check_writable(const std::string& path);

}  // namespace parity::reports

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Fingerprints of goldens for reports.
#pragma once

#include <filesystem>
#include <string>

namespace parity::golden {

/// SHA-256 of a file, 64 lower-case hexadecimal digits; the file is streamed. Throws Error{not_found} or Error{io}.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace parity::golden

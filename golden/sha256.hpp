// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Fingerprints of goldens, as reports quote them.
#pragma once

#include <filesystem>
#include <string>

namespace parity::golden {

/// 64 lower-case hexadecimal digits of the file's SHA-256; the file is streamed. Error{not_found, io}.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace parity::golden

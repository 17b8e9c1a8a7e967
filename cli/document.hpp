// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The JSON documents that --json writes for every command other than `run`.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace parity::cli {

/// Sets the command line that every document of this process names as its origin.
void remember_command(const std::string& command);
/// Writes `body` in the frame of `kind` with the verdict of `exit_code` (reports/document.hpp), unless `path` is empty.
void write_document(const std::string& path, const std::string& kind, int exit_code,
                    const nlohmann::ordered_json& body);

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What --json of the commands other than `run` writes.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace parity::cli {

/// What the documents of this process say that they were made by.
void remember_command(const std::string& command);
/// `body` in the frame of its `kind` (reports/document.hpp), with the verdict that `exit_code` means; nothing without a path.
void write_document(const std::string& path, const std::string& kind, int exit_code,
                    const nlohmann::ordered_json& body);

}  // namespace parity::cli

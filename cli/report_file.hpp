// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace parity::cli {

/// Error{not_found} or Error{schema}: no such file, or no JSON.
[[nodiscard]] nlohmann::json read_report_file(const std::string& path);

}  // namespace parity::cli

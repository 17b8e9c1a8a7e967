// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace parity::cli {

/// Reads a JSON file. Error{not_found} if it does not exist, Error{schema} if it is not JSON.
[[nodiscard]] nlohmann::json read_report_file(const std::string& path);

}  // namespace parity::cli

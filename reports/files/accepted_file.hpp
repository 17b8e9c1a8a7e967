// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The file of --accept: a JSON list of accepted deviations.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compare/judging/accepted.hpp"

namespace parity::reports {

/// Reads [{"tap": GLOB, "fault": ID | "factor": NUMBER, "reason": TEXT, "date": "YYYY-MM-DD"}, …], or Error{schema}.
[[nodiscard]] std::vector<compare::Accepted> read_accepted(const std::filesystem::path& path);

/// Returns the entries in that JSON form. Empty reasons and dates are left for the user to fill in.
[[nodiscard]] std::string accepted_text(const std::vector<compare::Accepted>& entries);

}  // namespace parity::reports

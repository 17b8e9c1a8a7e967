// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The file of --accept: a JSON list of stated deviations.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compare/accepted.hpp"

namespace parity::reports {

/// [{"tap": GLOB, "fault": ID | "factor": NUMBER, "reason": TEXT, "date": "YYYY-MM-DD"}, …]; Error{schema} names entry and key.
[[nodiscard]] std::vector<compare::Accepted> read_accepted(const std::filesystem::path& path);

/// The entries in that form; empty reasons and dates are left to whoever decides.
[[nodiscard]] std::string accepted_text(const std::vector<compare::Accepted>& entries);

}  // namespace parity::reports

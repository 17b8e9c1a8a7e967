// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a launch costs, as JSON: a launch in a document of the kind "counters".
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "optimized/ptx/counting/counters.hpp"

namespace parity::reports {

/// Counts of nothing are left out.
[[nodiscard]] nlohmann::ordered_json to_json(const ptx::Counters& counters);
[[nodiscard]] nlohmann::ordered_json to_json(const ptx::Cost& cost);
/// The way back. Error{schema} names the place, which begins with `place`: "/lines/3/sectors: a count is expected".
[[nodiscard]] ptx::Counters counters_from_json(const nlohmann::json& document, const std::string& place = "");

}  // namespace parity::reports

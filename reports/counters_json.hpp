// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a launch costs, as JSON: the body of a frame of the kind "counters" (document.hpp).
#pragma once

#include <nlohmann/json.hpp>

#include "optimized/ptx/counting/counters.hpp"

namespace parity::reports {

/// Counts of nothing are left out.
[[nodiscard]] nlohmann::ordered_json to_json(const ptx::Counters& counters);
/// The way back. Error{schema} names the place: "/lines/3/sectors: a count is expected".
[[nodiscard]] ptx::Counters counters_from_json(const nlohmann::json& document);

}  // namespace parity::reports

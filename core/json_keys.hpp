// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Checks of JSON objects that people write.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace parity {

/// Throws Error{schema} if `object` is no JSON object, or has a key that is not in `known`: what it asks for would not
/// be done. `place` begins the message.
void require_keys(const nlohmann::json& object, const std::vector<std::string>& known, const std::string& place = "");

}  // namespace parity

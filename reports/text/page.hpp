// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Writes documents as one HTML file that needs nothing else: no network, no other file. Its parts are in page/.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace parity::reports {

constexpr size_t kLongestPage = 5'000'000;  // bytes; browsers and artifact viewers open that at once

/// Returns the page of `documents`: reports of runs, and documents of other commands. Two of the same kind are compared
/// on it. The documents must follow their schema.
[[nodiscard]] std::string html_page(const std::vector<nlohmann::ordered_json>& documents,
                                    size_t longest = kLongestPage);

}  // namespace parity::reports

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which recording shows which component of which system, under which profile.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parity::compare {

/// A Markdown table, a row per system and component: the profiles with the number of goldens that record an output of the
/// component, and those whose plans need it but have no golden among `folders`. Components in the registry's order.
[[nodiscard]] std::string coverage_matrix(const std::vector<std::filesystem::path>& folders);

/// The same in a row per system and profile: components that a golden of `folders` shows, of those that its plans need.
[[nodiscard]] std::string coverage_summary(const std::vector<std::filesystem::path>& folders);

}  // namespace parity::compare

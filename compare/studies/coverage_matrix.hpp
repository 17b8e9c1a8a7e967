// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tables of the recordings that cover a component of a system under a profile.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parity::compare {

/// Returns a Markdown table with a row per system and component, in the registry's order: the profiles with their
/// number of goldens in `folders` that record an output of it, and profiles that need it but have no golden.
[[nodiscard]] std::string coverage_matrix(const std::vector<std::filesystem::path>& folders);

/// Returns a Markdown table with a row per system and profile: how many components of its plans `folders` records.
[[nodiscard]] std::string coverage_summary(const std::vector<std::filesystem::path>& folders);

}  // namespace parity::compare

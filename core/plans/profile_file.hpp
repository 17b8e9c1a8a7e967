// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Reads the files of core/plans/profiles/.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/plans/profile.hpp"

namespace parity {

using ProfileFile = std::pair<std::string_view, std::string_view>;  // path, text

/// The profiles in those `files` that are directly in `folder`: by release, and after them names without a release.
/// Every profile has `system`. A file is a JSON object: "description" (a text, or texts that "; " joins), "notes" (nobody
/// reads them), "also", "settings", "rounding", "config", and "after": the profile whose settings, rounding rows and config
/// this one begins with. null removes a setting or a rounding row. Throws Error{schema}, which names the file.
[[nodiscard]] std::vector<Profile> profiles_in(const std::string& folder, const std::string& system,
                                               const std::vector<ProfileFile>& files);

}  // namespace parity

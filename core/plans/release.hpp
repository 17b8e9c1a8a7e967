// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Releases of packages, and which profile of a list is that of a release.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/plans/profile.hpp"

namespace parity {

/// A release of a package, of which a profile is named: "hf-5.23.0" is {5, 23, 0}.
using Release = std::array<int, 3>;
/// The release in a profile's name; the newest possible one if there is none.
[[nodiscard]] Release release_of(const std::string& profile);

struct NearestProfile {
  const Profile* profile = nullptr;  // null if there is none
  std::string release;               // the name that was found: the one that was asked for, or the release before it
};
/// The entry of `list` that `name` names. A release that no entry names has the profile of the newest release before it,
/// of the same package and major version: "hf-5.23.1" that of "hf-5.23.0".
[[nodiscard]] NearestProfile nearest_profile(const std::vector<const Profile*>& list, const std::string& name);

/// The profile of nearest_profile. If there is none, throws Error{unsupported}, which begins with `what` and lists the names of `list`.
[[nodiscard]] const Profile& profile_in(const std::vector<const Profile*>& list, const std::string& name,
                                        std::string_view what);

}  // namespace parity

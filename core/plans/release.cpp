// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/release.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace parity {
namespace {

constexpr int kNewest = std::numeric_limits<int>::max();

std::vector<std::string> names_of(const Profile& profile) {
  std::vector<std::string> names{profile.name};
  names.insert(names.end(), profile.also.begin(), profile.also.end());
  return names;
}

/// Whether `known` is a release before `wanted`, of the same package and major version.
bool precedes(const std::string& known, const std::string& wanted) {
  const Release older = release_of(known);
  const Release newer = release_of(wanted);
  const std::string package = known.substr(0, known.find('-'));
  const bool is_release = wanted == fmt::format("{}-{}", package, fmt::join(newer, "."));
  return is_release && older[0] == newer[0] && older < newer;
}

}  // namespace

Release release_of(const std::string& profile) {
  Release release{};
  const int numbers = std::sscanf(profile.c_str(), "%*[a-z]-%d.%d.%d", &release[0], &release[1], &release[2]);
  return numbers == 3 ? release : Release{kNewest, kNewest, kNewest};
}

bool names_profile(const std::vector<const Profile*>& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(), [&](const Profile* profile) {
    const std::vector<std::string> names = names_of(*profile);
    return std::find(names.begin(), names.end(), name) != names.end();
  });
}

const Profile& profile_in(const std::vector<const Profile*>& list, const std::string& name, std::string_view what) {
  const Profile* found = nullptr;
  Release newest{};
  std::vector<std::string> known;
  for (const Profile* profile : list) {
    for (const std::string& other : names_of(*profile)) {
      if (other == name) return *profile;
      if (precedes(other, name) && release_of(other) >= newest) {
        found = profile;
        newest = release_of(other);
      }
      known.push_back(other);
    }
  }
  if (found != nullptr) return *found;
  throw Error(ErrorCode::unsupported, fmt::format("{} '{}' is not known{}; known: {}", what, name,
                                                  did_you_mean(name, known), fmt::join(known, " ")));
}

}  // namespace parity

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

bool names(const Profile& profile, const std::string& name) {
  const std::vector<std::string> all = names_of(profile);
  return std::find(all.begin(), all.end(), name) != all.end();
}

const Profile* nearest_profile(const std::vector<const Profile*>& list, const std::string& name) {
  const Profile* found = nullptr;
  Release newest{};
  for (const Profile* profile : list) {
    if (names(*profile, name)) return profile;
    for (const std::string& known : names_of(*profile)) {
      if (!precedes(known, name) || release_of(known) < newest) continue;
      found = profile;
      newest = release_of(known);
    }
  }
  return found;
}

const Profile& profile_in(const std::vector<const Profile*>& list, const std::string& name, std::string_view what) {
  if (const Profile* found = nearest_profile(list, name); found != nullptr) return *found;
  std::vector<std::string> known;
  for (const Profile* profile : list)
    for (const std::string& other : names_of(*profile)) known.push_back(other);
  throw Error(ErrorCode::unsupported, fmt::format("{} '{}' is not known{}; known: {}", what, name,
                                                  did_you_mean(name, known), fmt::join(known, " ")));
}

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/release.hpp"

#include <charconv>
#include <limits>
#include <system_error>

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
  constexpr Release kNone{kNewest, kNewest, kNewest};
  Release release{};
  const char* at = profile.c_str() + profile.find('-') + 1;  // from the beginning if there is none
  const char* const end = profile.c_str() + profile.size();
  for (size_t i = 0; i < release.size(); ++i) {
    if (i > 0 && (at == end || *at++ != '.')) return kNone;
    if (at == end || *at < '0' || *at > '9') return kNone;
    const auto [next, error] = std::from_chars(at, end, release[i]);
    if (error != std::errc{}) return kNone;
    at = next;
  }
  return release;
}

NearestProfile nearest_profile(const std::vector<const Profile*>& list, const std::string& name) {
  NearestProfile found;
  for (const Profile* profile : list) {
    for (const std::string& known : names_of(*profile)) {
      if (known == name) return {profile, name};
      if (precedes(known, name) && (found.profile == nullptr || release_of(found.release) <= release_of(known)))
        found = {profile, known};
    }
  }
  return found;
}

const Profile& profile_in(const std::vector<const Profile*>& list, const std::string& name, std::string_view what) {
  if (const NearestProfile found = nearest_profile(list, name); found.profile != nullptr) return *found.profile;
  std::vector<std::string> known;
  for (const Profile* profile : list)
    for (const std::string& other : names_of(*profile)) known.push_back(other);
  throw Error(ErrorCode::unsupported, fmt::format("{} '{}' is not known{}; known: {}", what, name,
                                                  did_you_mean(name, known), fmt::join(known, " ")));
}

}  // namespace parity

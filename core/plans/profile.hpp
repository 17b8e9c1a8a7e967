// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Profiles: the semantics of a range of releases as data. They set parameters and rounding rows; no kernel tests them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/component.hpp"

namespace parity {

struct Profile {
  std::string system;             // "minimax_m3_vl"; empty: any
  std::string name;               // "hf-5.12.0"
  std::vector<std::string> also;  // releases with the same text decoder
  std::string source;             // code that was read
  ParamMap settings;              // "component.param" -> value
  RoundingTable rounding;         // "component.point" -> precision
  ParamMap config = {};           // keys of config.json that releases read differently, for plan builders
};

/// The profile of `system` called `name`; a suffix "-f64" (binary64 recording) is ignored. A release that no profile names
/// has that of the newest release before it (core/plans/release.hpp). Throws Error{unsupported}, which lists the system's
/// profiles.
[[nodiscard]] const Profile& find_profile(const std::string& system, const std::string& name);
/// The release whose profile find_profile takes for one that no profile names; empty if one names it, or if there is none.
/// Profiles of processors name the same releases.
[[nodiscard]] std::string assumed_release(const std::string& system, const std::string& name);
[[nodiscard]] const std::vector<Profile>& profiles();
/// Settings and rounding rows that the attention implementation ("eager", "sdpa") adds to any profile.
[[nodiscard]] const Profile& find_attention(const std::string& name);

/// Name of the profile of the newest release of the system's Hugging Face package.
[[nodiscard]] std::string newest_profile(const std::string& system);

}  // namespace parity

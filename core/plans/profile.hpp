// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Profiles: the semantics of a range of releases as data. They set parameters and rounding rows; no kernel tests them.
#pragma once

#include <string>
#include <vector>

#include "core/component.hpp"

namespace parity {

/// What one range of releases computes: a file core/plans/profiles/<folder>/<name>.json.
struct Profile {
  std::string system;             // "minimax_m3_vl"; empty: any
  std::string name;               // "hf-5.12.0"
  std::vector<std::string> also;  // releases with the same text decoder
  std::string source;             // code that was read
  ParamMap settings;              // "component.param" -> value
  RoundingTable rounding;         // "component.point" -> precision
  ParamMap config = {};           // what plan builders do differently; keys of config_defaults()

  /// The value of a flag, or of a number, of `config`, or its default. Throws Error{internal} for a key that
  /// config_defaults() lacks or that is of the other kind.
  [[nodiscard]] bool does(const std::string& key) const { return std::get<bool>(configured(key, false)); }
  [[nodiscard]] int64_t number(const std::string& key) const { return std::get<int64_t>(configured(key, int64_t{0})); }
  /// … of the type of `kind`.
  [[nodiscard]] ParamValue configured(const std::string& key, const ParamValue& kind) const;
};

/// Every key of Profile::config with the value that an absent one has.
[[nodiscard]] const ParamMap& config_defaults();

/// The profile of `system` called `name`; a suffix "-f64" (binary64 recording) is ignored. A release that no profile names
/// has that of the newest release before it (core/plans/release.hpp). Throws Error{unsupported}, which lists the system's
/// profiles.
[[nodiscard]] const Profile& find_profile(const std::string& system, const std::string& name);
/// The release whose profile find_profile takes for one that no profile names; empty if one names it, or if there is none.
/// Profiles of processors name the same releases.
[[nodiscard]] std::string assumed_release(const std::string& system, const std::string& name);
/// Profiles of all systems; those of a system from the oldest release to the newest.
[[nodiscard]] const std::vector<Profile>& profiles();
/// Settings and rounding rows that the attention implementation ("eager", "sdpa") adds to any profile.
[[nodiscard]] const Profile& find_attention(const std::string& name);

/// Profiles of the processors of images, videos and prompts, whose ranges of releases differ from the models'; from a
/// file-by-file comparison of releases (processors of the model, their backends, default sampling).
[[nodiscard]] const std::vector<Profile>& processor_profiles();
/// The processor profile called `name`. Throws Error{unsupported}, which lists the profiles.
[[nodiscard]] const Profile& find_processor_profile(const std::string& name);

/// Name of the profile of the newest release of the system's Hugging Face package.
[[nodiscard]] std::string newest_profile(const std::string& system);

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Profiles: whose semantics, as data. Parameter values and rounding rows; never an `if` inside a kernel.
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
  std::string source;             // what was read
  ParamMap settings;              // "component.param" -> value
  RoundingTable rounding;         // "component.point" -> precision
  ParamMap config = {};           // what plan builders ask: keys of config.json that releases read differently, …
};

/// The profile of `system` called `name`, a "-f64" suffix (binary64 capture) set aside. Error{unsupported} lists the
/// system's profiles.
[[nodiscard]] const Profile& find_profile(const std::string& system, const std::string& name);
[[nodiscard]] const std::vector<Profile>& profiles();
/// What the attention implementation ("eager", "sdpa") adds to any profile.
[[nodiscard]] const Profile& find_attention(const std::string& name);

/// The newest release of the system's Hugging Face package, as a profile.
[[nodiscard]] std::string newest_profile(const std::string& system);

}  // namespace parity

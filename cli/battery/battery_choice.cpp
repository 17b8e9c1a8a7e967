// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the words of `parity battery` choose: components and lanes.

#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/battery/battery_parts.hpp"
#include "core/text.hpp"

namespace parity::cli {

std::vector<std::string> components_of(const BatteryOptions& options) {
  std::vector<std::string> chosen;
  for (const std::string& component : cases::drawn_cases()) {
    const bool wanted =
        options.components.empty() || std::any_of(options.components.begin(), options.components.end(),
                                                  [&](const auto& glob) { return glob_match(glob, component); });
    if (wanted) chosen.push_back(component);
  }
  for (const std::string& glob : options.components) {
    const bool known = std::any_of(chosen.begin(), chosen.end(), [&](const auto& c) { return glob_match(glob, c); });
    const std::string hint = did_you_mean(glob, cases::drawn_cases());
    PARITY_CHECK(known, usage, "'{}' matches no component that has random cases{}; {}", glob, hint,
                 hint.empty()
                     ? fmt::format("these components have random cases: {}", fmt::join(cases::drawn_cases(), ", "))
                     : "parity list shows all components");
  }
  return chosen;
}

std::vector<cases::Lane> lanes_of(const BatteryOptions& options) {
  std::vector<cases::Lane> lanes;
  for (const std::string& word : options.lanes) {
    const cases::Lane lane = cases::parse_lane(word, "--lanes");
    if (std::find(lanes.begin(), lanes.end(), lane) == lanes.end()) lanes.push_back(lane);
  }
  if (!lanes.empty()) return lanes;
  lanes.assign(cases::kLanes.begin(), cases::kLanes.end());
  const bool shares_out = cases::is_backend(options.kernel) || cases::is_foreign(options.kernel);
  if (!shares_out) std::erase(lanes, cases::Lane::large);  // others use no threads
  return lanes;
}

}  // namespace parity::cli

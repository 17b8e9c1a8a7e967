// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/studies/coverage_matrix.hpp"

#include <map>
#include <set>

#include <fmt/ranges.h>

#include "core/plans/every_plan.hpp"
#include "core/plans/profile.hpp"
#include "reference/reference.hpp"
#include "replay/captures/golden_plan.hpp"
#include "replay/runs/recording.hpp"

namespace parity::compare {
namespace {

/// For each system and component: the goldens that record it, by profile.
using Shown = std::map<std::pair<std::string, std::string>, std::map<std::string, std::set<std::string>>>;

/// Returns the name of the release that represents all releases with equal semantics.
std::string canonical(const Plan& plan, const std::string& component) {
  static const std::set<std::string> processors{"smart_resize", "resize_bicubic", "patchify",
                                                "media_grid",   "frame_sampling", "prompt_expansion"};
  return processors.contains(component) ? find_processor_profile(plan.profile).name
                                        : find_profile(plan.system, plan.profile).name;
}

void add_golden(const std::filesystem::path& folder, Shown& shown) {
  const auto golden = golden::Golden::open(folder);
  const Plan plan = replay::plan_of(golden);
  const replay::Recording recording(golden.activations(), plan);
  for (const Node& node : plan.nodes) {
    for (const auto& [field, output] : node.outputs) {
      if (recording.has(output.name))
        shown[{plan.system, node.component}][canonical(plan, node.component)].insert(golden.name());
    }
  }
}

std::string row(const std::string& component, const std::map<std::string, std::set<std::string>>& profiles) {
  std::vector<std::string> recorded;
  std::vector<std::string> missing;
  for (const auto& [profile, goldens] : profiles) {
    if (goldens.empty()) {
      missing.push_back(profile);
    } else {
      recorded.push_back(fmt::format("{} ({})", profile, goldens.size()));
    }
  }
  return fmt::format("| `{}` | {} | {} |\n", component,
                     recorded.empty() ? "-" : fmt::format("{}", fmt::join(recorded, ", ")), fmt::join(missing, ", "));
}

/// Returns every component that a plan needs, with the goldens of `folders` that record it.
Shown shown_by(const std::vector<std::filesystem::path>& folders) {
  Shown shown;
  for (const Plan& plan : every_plan()) {
    for (const Node& node : plan.nodes) shown[{plan.system, node.component}][canonical(plan, node.component)];
  }
  for (const auto& folder : folders) with_context(folder.string(), [&] { add_golden(folder, shown); });
  return shown;
}

struct ProfileTally {
  int64_t needed = 0, recorded = 0;  // both count components
  std::set<std::string> goldens;
};

}  // namespace

std::string coverage_summary(const std::vector<std::filesystem::path>& folders) {
  std::map<std::pair<std::string, std::string>, ProfileTally> tallies;
  for (const auto& [key, profiles] : shown_by(folders)) {
    for (const auto& [profile, goldens] : profiles) {
      ProfileTally& tally = tallies[{key.first, profile}];
      ++tally.needed;
      tally.recorded += goldens.empty() ? 0 : 1;
      tally.goldens.insert(goldens.begin(), goldens.end());
    }
  }
  std::string text =
      "| system | profile | components with a recorded output, of all components of the profile | goldens "
      "|\n|---|---|---|---|\n";
  for (const auto& [key, tally] : tallies) {
    text += fmt::format("| `{}` | {} | {} of {} | {} |\n", key.first, key.second, tally.recorded, tally.needed,
                        tally.goldens.size());
  }
  return text;
}

std::string coverage_matrix(const std::vector<std::filesystem::path>& folders) {
  const Shown shown = shown_by(folders);
  std::set<std::string> systems;
  for (const auto& [key, profiles] : shown) systems.insert(key.first);
  std::string text;
  for (const std::string& system : systems) {
    text += fmt::format(
        "\n| `{}` | profiles with goldens (number of goldens) | profiles that use the component, without a golden "
        "|\n|---|---|---|\n",
        system);
    for (const std::string& component : reference::registry().components()) {
      const auto found = shown.find({system, component});
      if (found != shown.end()) text += row(component, found->second);
    }
  }
  return text;
}

}  // namespace parity::compare

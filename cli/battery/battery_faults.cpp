// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity battery --faults`: which faults of the catalogue fail a drawn case.

#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/battery/battery_parts.hpp"
#include "cli/commands.hpp"
#include "cli/terminal/progress.hpp"
#include "faults/catalogue.hpp"
#include "faults/planted_case.hpp"

namespace parity::cli {

using cases::BatteryResult;

int battery_of_faults(const BatteryOptions& options) {
  constexpr int64_t kLeastSeen = 95;  // percent; some faults show only when several components run together
  PARITY_CHECK(options.kernel == "correct", usage,
               "--faults plants known bugs in the reference, so it takes no kernel; remove --kernel");
  cases::BatteryOptions run{options.cases, options.large, false, options.seed, lanes_of(options)};
  const bool every_lane = options.lanes.empty();
  int64_t tried = 0, seen = 0, repeated = 0;
  std::array<int64_t, cases::kLanes.size()> seen_in{}, alone_in{};
  const auto components = components_of(options);
  ProgressBar bar("faults", options.quiet);
  size_t at_fault = 0;
  for (const faults::Fault& fault : faults::catalogue()) {
    bar.update(at_fault++, faults::catalogue().size(), fault.id);
    if (!fault.equivalent.empty() ||
        std::find(components.begin(), components.end(), fault.component) == components.end())
      continue;
    run.wanted = [&](const cases::CaseSpec& spec) { return faults::has_place(fault, spec); };
    const BatteryResult battery = cases::run_battery(fault.component, faults::with_fault(fault), run);
    if (battery.cases == 0) continue;
    ++tried;
    seen += battery.failed > 0 ? 1 : 0;
    const auto& failed = battery.failed_in;
    const auto lanes = std::count_if(failed.begin(), failed.end(), [](int64_t count) { return count > 0; });
    for (size_t lane = 0; lane < failed.size(); ++lane) {
      seen_in[lane] += failed[lane] > 0 ? 1 : 0;
      alone_in[lane] += failed[lane] > 0 && lanes == 1 ? 1 : 0;
    }
    bar.pause();
    if (!battery.first) {
      fmt::print("unnoticed  {}  {}\n", fault.id, fault.title);
    } else {
      repeated += cases::is_wrong(cases::worst_record(battery.first->spec, faults::with_fault(fault))) ? 1 : 0;
      fmt::print("noticed  {}  {} of {} cases fail; first: {}\n", fault.id, battery.failed, battery.cases,
                 battery.first->text);
    }
  }
  bar.pause();
  std::vector<std::string> by_lane;
  for (const cases::Lane lane : run.lanes) {
    const auto at = static_cast<size_t>(lane);
    const std::string alone = run.lanes.size() > 1 ? fmt::format(" ({} alone)", alone_in[at]) : "";
    by_lane.push_back(fmt::format("{} {}{}", to_string(lane), seen_in[at], alone));
  }
  fmt::print(
      "{} of {} known bugs in single components make a case fail ({:.1f}%); by lane of the cases: {}; {} of {} reduced "
      "cases fail again when they are repeated\n",
      seen, tried, 100.0 * static_cast<double>(seen) / static_cast<double>(std::max<int64_t>(tried, 1)),
      fmt::join(by_lane, ", "), repeated, seen);
  return repeated == seen && (!every_lane || 100 * seen >= kLeastSeen * tried) ? holds : broken;
}

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "compare/goldens/opened_run.hpp"
#include "core/sharding/sharded_plan.hpp"
#include "core/shell.hpp"
#include "golden/golden.hpp"
#include "reference/reference.hpp"
#include "replay/captures/golden_plan.hpp"

namespace parity::cli {

int repro(const ReproOptions& options) {
  const size_t hash = options.case_id.rfind('#');  // the path of a golden may contain '#', a tap does not
  PARITY_CHECK(hash != std::string::npos && hash > 0 && hash + 1 < options.case_id.size(), usage,
               "'{}' does not name a tap; expected GOLDEN#TAP, as parity run prints it for a failing tap",
               options.case_id);
  RunOptions single;
  single.goldens = {options.case_id.substr(0, hash)};
  single.select = options.case_id.substr(hash + 1);
  if (single.select.find_first_of("*?") == std::string::npos) {  // an unknown tap would judge nothing
    const auto golden = golden::Golden::open(single.goldens.front());
    const Plan plan = sharded_plan(replay::plan_of(golden, options.profile), options.layout, reference::registry());
    static_cast<void>(replay::tap_of(plan, single.select, golden.name()));
  }
  single.candidate = options.candidate;
  single.mode = options.mode;
  single.inputs = options.inputs;
  single.nothing = options.nothing;
  single.profile = options.profile;
  single.layout = options.layout;
  single.policy = options.policy;
  single.taps = true;
  single.verbose = options.verbose;
  single.command_line =
      shell_line({"parity", "repro", options.case_id, "--candidate", options.candidate, "--mode", options.mode}) +
      (options.profile.empty() ? "" : " " + shell_line({"--profile", options.profile})) +
      compare::layout_options(options.layout) + (options.policy.empty() ? "" : " --policy " + options.policy);
  return run(single);
}

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/engines/bisect.hpp"

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/terminal/progress.hpp"
#include "faults/catalogue.hpp"
#include "faults/studies/fixture.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {

int bisect(const BisectOptions& options) {
  PARITY_CHECK(!options.fault.empty(), usage,
               "parity bisect needs --engine COMMAND or --fault FAULT; see parity bisect --help");
  ProgressBar bar("looking for the first faulty node", options.quiet);
  const faults::Fixture fixture(options.golden);
  faults::Fault fault = faults::find_fault(options.fault);
  if (!options.at.empty()) fault.at = {options.at};
  const auto candidate = faults::applied(fault, fixture.plan());
  PARITY_CHECK(candidate.has_value(), usage,
               "the model of {} has no node in which fault {} can be planted; see parity show {}", options.golden,
               options.fault, options.fault);
  const auto found =
      faults::bisect(*candidate, fixture.plan(), fixture.golden().parameters(), fixture.recording(), options.end);
  bar.pause();
  fmt::print("{} nodes, fault {} planted in {} of them; compared output: {}\n", fixture.plan().nodes.size(), fault.id,
             candidate->places.size(), found.end);
  for (const faults::BisectProbe& probe : found.probes)
    fmt::print(
        "  first {:>5} nodes by the candidate, the others by the reference: error {:>8} times the effect of rounding  "
        "{}\n",
        probe.taken, reports::number(probe.deviation), probe.wrong ? "wrong" : "right");
  if (found.prefix.empty()) {
    const bool planted = !options.fault.empty();
    fmt::print("the compared output is right{}\n",
               planted ? ", although a fault is planted; use a golden in f32, or another --end" : "");
    return planted ? broken : holds;
  }
  fmt::print("first faulty node: {} ({})\n", found.prefix, found.component);
  return broken;
}

}  // namespace parity::cli

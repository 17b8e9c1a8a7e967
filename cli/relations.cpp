// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/relations.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "core/text.hpp"
#include "faults/catalogue.hpp"
#include "faults/edit.hpp"
#include "reports/format.hpp"
#include "reports/table.hpp"

namespace parity::cli {
namespace {

bool all_hold(const std::vector<faults::RelationResult>& results) {
  return std::all_of(results.begin(), results.end(), [](const auto& result) { return result.holds(); });
}

/// How many of the catalogue's faults break a relation: what is found without any golden.
int study(const RelationsOptions& options) {
  int64_t tried = 0;
  int64_t broken_by = 0;
  for (const faults::Fault& fault : faults::catalogue()) {
    try {
      const auto results = faults::run_relations(&fault, options.seed);
      ++tried;
      broken_by += all_hold(results) ? 0 : 1;
      if (!all_hold(results)) continue;
      fmt::print("unseen  {}  {}\n", fault.id, fault.title);
    } catch (const Error&) {  // no place in the small models
    }
  }
  fmt::print("{} of {} faults that the small models have a place for break a relation ({:.1f}%)\n", broken_by, tried,
             100.0 * static_cast<double>(broken_by) / static_cast<double>(std::max<int64_t>(tried, 1)));
  return holds;
}

}  // namespace

int relations(const RelationsOptions& options) {
  if (options.faults) return study(options);
  const faults::Fault* fault = options.fault.empty() ? nullptr : &faults::find_fault(options.fault);
  const auto results = faults::run_relations(fault, options.seed);
  reports::Table table({"relation", "what", "system", "verdict", "deviation"}, 4);
  for (const faults::RelationResult& result : results)
    table.add({result.relation, result.what, result.system, result.holds() ? "holds" : "BROKEN",
               reports::number(result.deviation, 2)});
  fmt::print("{}{}  {} relations; equal means within {:g} of the values\n", table.text("  "),
             all_hold(results) ? "PASS" : "FAIL", results.size(), faults::kSameRun);
  return all_hold(results) ? holds : broken;
}

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/relations.hpp"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "core/text.hpp"
#include "faults/catalogue.hpp"
#include "faults/edit.hpp"
#include "reports/format.hpp"
#include "reports/table.hpp"

namespace parity::cli {
namespace {

/// How many of the catalogue's faults break which relation: what is found without any golden.
int study(const RelationsOptions& options) {
  int64_t tried = 0;
  int64_t broken_by = 0;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> faults_of;  // by subject and relation
  for (const faults::RelationResult& result : faults::run_relations(nullptr, options.seed))
    faults_of[{result.subject, result.relation}] = {};
  for (const faults::BrokenRelations& one : faults::study_relations(faults::catalogue(), options.seed)) {
    if (!one.has_place) continue;
    ++tried;
    broken_by += one.broken.empty() ? 0 : 1;
    if (one.broken.empty()) fmt::print("unseen  {}  {}\n", one.fault->id, one.fault->title);
    for (const auto& [relation, subject] : one.broken) faults_of[{subject, relation}].push_back(one.fault->id);
  }
  reports::Table table({"subject", "relation", "for instance", "broken by"}, 3);
  for (const auto& [names, ids] : faults_of)
    table.add({names.first, names.second, ids.empty() ? "" : ids.front(), std::to_string(ids.size())});
  fmt::print("{}{} of {} faults that the small models have a place for break a relation ({:.1f}%)\n", table.text("  "),
             broken_by, tried,
             100.0 * static_cast<double>(broken_by) / static_cast<double>(std::max<int64_t>(tried, 1)));
  return holds;
}

}  // namespace

int relations(const RelationsOptions& options) {
  if (options.faults) return study(options);
  const faults::Fault* fault = options.fault.empty() ? nullptr : &faults::find_fault(options.fault);
  const auto results = faults::run_relations(fault, options.seed);
  reports::Table table({"relation", "what", "subject", "verdict", "deviation"}, 4);
  for (const faults::RelationResult& result : results)
    table.add({result.relation, result.what, result.subject, result.holds() ? "holds" : "BROKEN",
               reports::number(result.deviation, 2)});
  fmt::print("{}{}  {} relations; equal means within {:g} of the values\n", table.text("  "),
             faults::all_hold(results) ? "PASS" : "FAIL", results.size(), faults::kSameRun);
  return faults::all_hold(results) ? holds : broken;
}

}  // namespace parity::cli

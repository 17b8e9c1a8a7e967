// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/relations/relations.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cases/backends.hpp"
#include "cli/commands.hpp"
#include "cli/reports/document.hpp"
#include "cli/runs/candidate.hpp"
#include "cli/runs/choices.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "core/text.hpp"
#include "faults/catalogue.hpp"
#include "reports/text/format.hpp"
#include "reports/text/table.hpp"

namespace parity::cli {
namespace {

using faults::Relation;
using faults::RelationResult;

/// Prints which relations the faults of the catalogue break, and how many faults break one; needs no golden.
int study(const RelationsOptions& options) {
  int64_t tried = 0;
  int64_t broken_by = 0;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> faults_of;  // by subject and relation
  ProgressBar bar("relations of faults", options.quiet);
  for (const RelationResult& result : faults::run_relations({}, options.seed))
    faults_of[{result.subject, result.relation}] = {};
  const size_t all = faults::catalogue().size();
  const auto found =
      faults::study_relations(faults::catalogue(), options.seed, 0, [&](size_t done) { bar.update(done, all); });
  bar.pause();
  for (const faults::BrokenRelations& one : found) {
    if (!one.has_place) continue;
    ++tried;
    broken_by += one.broken.empty() ? 0 : 1;
    if (one.broken.empty() && options.json != "-") fmt::print("unnoticed  {}  {}\n", one.fault->id, one.fault->title);
    nlohmann::ordered_json& row = rows.emplace_back();
    row = {{"id", one.fault->id}, {"broken", nlohmann::ordered_json::array()}};
    for (const auto& [relation, subject] : one.broken) {
      faults_of[{subject, relation}].push_back(one.fault->id);
      row["broken"].push_back({{"relation", relation}, {"subject", subject}});
    }
  }
  write_document(
      options.json, "relations_of_faults", holds,
      {{"seed", options.seed}, {"summary", {{"faults", tried}, {"broken_by", broken_by}}}, {"faults", rows}});
  if (options.json == "-") return holds;
  reports::Table table({"subject", "relation", "for instance", "broken by"}, 3);
  for (const auto& [names, ids] : faults_of)
    table.add({names.first, names.second, ids.empty() ? "" : ids.front(), std::to_string(ids.size())});
  fmt::print("{}{} of {} faults that fit into the small models break a relation ({:.1f}%)\n",
             table.text("  ", terminal_width()), broken_by, tried,
             100.0 * static_cast<double>(broken_by) / static_cast<double>(std::max<int64_t>(tried, 1)));
  return holds;
}

faults::Tried tried_of(const RelationsOptions& options) {
  if (!options.fault.empty()) return faults::planted(faults::find_fault(options.fault));
  const std::string& candidate = options.candidate;
  if (candidate != "reference" && !cases::is_backend(candidate) && !candidate.starts_with("fault:")) {
    related_kernels().refuse("--candidate", candidate);
  }
  return faults::tried_as(candidate);
}

/// Prints for each subject which components the candidate computed, and which ones the reference computed for it.
void print_shares(const std::vector<RelationResult>& results, const std::string& candidate) {
  std::map<std::string, std::pair<std::set<std::string>, std::set<std::string>>> shares;
  for (const RelationResult& result : results) {
    shares[result.subject].first.insert(result.computed.begin(), result.computed.end());
    shares[result.subject].second.insert(result.lent.begin(), result.lent.end());
  }
  for (const auto& [subject, share] : shares)
    fmt::print("{}: {} computes {}; the reference computes {}\n", subject, candidate,
               share.first.empty() ? "nothing" : fmt::format("{}", fmt::join(share.first, ", ")),
               share.second.empty() ? "nothing" : fmt::format("{}", fmt::join(share.second, ", ")));
}

/// Prints why relations were refused or are inconclusive.
void print_reasons(const std::vector<RelationResult>& results) {
  for (const RelationResult& result : results) {
    const std::string at = result.subject + " " + result.relation;
    if (!result.refused.empty()) fmt::print("{}: {}\n", at, reports::plain(result.refused));
    if (result.verdict() == Relation::inconclusive)
      fmt::print(
          "{}: scores nearly tie, and the candidate chose differently from the reference ({}); use another --seed\n",
          at, result.flip);
  }
}

nlohmann::ordered_json json_of(const std::vector<RelationResult>& results, const faults::Tried& tried, uint64_t seed) {
  nlohmann::ordered_json document{
      {"seed", seed}, {"candidate", tried.name}, {"relations", nlohmann::ordered_json::array()}};
  for (const RelationResult& result : results)
    document["relations"].push_back({{"relation", result.relation},
                                     {"what", result.what},
                                     {"subject", result.subject},
                                     {"verdict", to_string(result.verdict())},
                                     {"deviation", reports::json_number(result.deviation)},
                                     {"within", reports::json_number(result.within)}});
  return document;
}

int conclude(const std::vector<RelationResult>& results, const faults::Tried& tried) {
  const auto count = [&](Relation relation) {
    return std::count_if(results.begin(), results.end(),
                         [&](const auto& result) { return result.verdict() == relation; });
  };
  const bool broke = count(Relation::broken) > 0;
  const bool all = faults::all_hold(results);
  fmt::print("{}  {} relations: {} hold",
             verdict_word(broke ? "FAIL"
                          : all ? "PASS"
                                : "NOT SHOWN"),
             results.size(), count(Relation::holds));
  for (const Relation other : {Relation::broken, Relation::inconclusive, Relation::not_shown}) {
    if (count(other) > 0) fmt::print(", {} {}", count(other), other == Relation::broken ? "broken" : to_string(other));
  }
  fmt::print(
      "; values count as equal within {}\n",
      tried.native ? "the limit printed in each line" : fmt::format("{:g} of the rms of the values", faults::kSameRun));
  if (broke || all) return broke ? broken : holds;
  return count(Relation::holds) + count(Relation::inconclusive) == 0 ? nothing_ran : broken;
}

}  // namespace

int relations(const RelationsOptions& options) {
  if (options.faults) return study(options);
  const faults::Tried tried = tried_of(options);
  ProgressBar bar("relations", options.quiet);
  const auto results = faults::run_relations(tried, options.seed);
  bar.pause();
  reports::Table table({"relation", "what", "subject", "verdict", "deviation", "required"}, 4);
  for (const RelationResult& result : results) {
    const bool shown = result.verdict() != Relation::not_shown;
    table.add({result.relation, result.what, result.subject, to_string(result.verdict()),
               shown ? reports::number(result.deviation, 2) : "-",
               shown ? (result.equal ? "<= " : "> ") + reports::number(result.within, 2) : "-"});
  }
  fmt::print("{}", table.text("  ", terminal_width()));
  if (tried.native) print_shares(results, tried.name);
  print_reasons(results);
  const int code = conclude(results, tried);
  write_document(options.json, "relations", code, json_of(results, tried, options.seed));
  return code;
}

}  // namespace parity::cli

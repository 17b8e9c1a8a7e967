// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity selftest --judges`: compares the judge with the published acceptance rules of other projects.
#include "faults/studies/judges.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/reports/document.hpp"
#include "cli/studies/fault_study.hpp"
#include "cli/studies/selftest.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "faults/edits/fault.hpp"
#include "reports/files/files.hpp"
#include "reports/text/table.hpp"

namespace parity::cli {
namespace {

using Json = nlohmann::ordered_json;
using faults::Alarms;
using faults::JudgeRow;
using faults::JudgesStudy;

constexpr const char* kLabel = "a comparison of acceptance rules on goldens of parity, not of the tools";

std::string alarms_text(const Alarms& alarms) {
  return alarms.taps == 0 ? "0" : fmt::format("{} ({} taps)", alarms.fixtures, alarms.taps);
}

Json json_of(const Alarms& alarms) { return {{"fixtures", alarms.fixtures}, {"taps", alarms.taps}}; }

Json json_of(const JudgesStudy& study) {
  Json document{{"label", kLabel},
                {"summary",
                 {{"faults", study.faults.size()},
                  {"fixtures", study.fixtures},
                  {"taps", study.taps},
                  {"recordings_with_other_ids", study.ids_differ}}},
                {"judges", Json::array()},
                {"faults", Json::array()}};
  for (const JudgeRow& row : study.rows) {
    document["judges"].push_back({{"name", row.name},
                                  {"rule", row.rule},
                                  {"source", row.source},
                                  {"killed", row.killed},
                                  {"killed_with_ids", row.killed_with_ids},
                                  {"false_alarms",
                                   {{"faultless", json_of(row.faultless)},
                                    {"recordings", json_of(row.recordings)},
                                    {"rounded_once", json_of(row.rerounded)}}}});
  }
  for (const faults::JudgedFault& fault : study.faults) {
    Json json{{"id", fault.fault->id}, {"fixtures", fault.fixtures}, {"other_ids", fault.other_ids}};
    json["killed_by"] = Json::array();
    for (size_t j = 0; j < study.rows.size(); ++j) {
      if (fault.killed[j]) json["killed_by"].push_back(study.rows[j].name);
    }
    document["faults"].push_back(std::move(json));
  }
  return document;
}

void print(const JudgesStudy& study) {
  fmt::print("{}:\n", kLabel);
  reports::Table table({"judge", "rule", "source", "noticed", "with ids", "faultless", "recordings", "rounded once"},
                       3);
  for (const JudgeRow& row : study.rows)
    table.add({row.name, row.rule, row.source, fmt::format("{}", row.killed), fmt::format("{}", row.killed_with_ids),
               alarms_text(row.faultless), alarms_text(row.recordings), alarms_text(row.rerounded)});
  fmt::print("{}", table.text("  ", terminal_width()));
  fmt::print(
      "{} faults, {} goldens with {} floating-point taps, each compared with the reference on its recorded inputs.\n",
      study.faults.size(), study.fixtures, study.taps);
  fmt::print(
      "noticed: faults for which the rule rejects a floating-point tap of some golden; with ids: or a set of ids "
      "differs.\n"
      "False alarms, in goldens: candidates without a fault, recordings of the real packages, exact values rounded "
      "once.\n"
      "Recordings whose sets of ids differ from the reference's: {}.\n",
      study.ids_differ);
}

}  // namespace

int selftest_judges(const SelftestOptions& options, const std::vector<std::filesystem::path>& goldens) {
  faults::JudgesOptions judges_options;
  judges_options.goldens = goldens;
  judges_options.select = options.faults;
  judges_options.backend = options.candidate;
  ProgressBar bar("judges", options.quiet);
  judges_options.progress = [&](size_t done, size_t total) { bar.update(done, total, ""); };
  const JudgesStudy study = faults::run_judges(judges_options);
  bar.pause();
  PARITY_CHECK(!study.faults.empty(), usage, "no fault matches '{}'{}; see parity list faults", options.faults,
               nearest_fault(options.faults));
  const JudgeRow& ours = study.rows.front();
  const bool alarmed = ours.faultless.taps + ours.recordings.taps + ours.rerounded.taps > 0;
  write_document(options.json, "judges", alarmed ? broken : holds, json_of(study));
  if (options.json != "-") print(study);
  return alarmed ? broken : holds;
}

}  // namespace parity::cli

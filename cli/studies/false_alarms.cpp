// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/studies/false_alarms.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/reports/document.hpp"
#include "cli/studies/selftest.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "compare/studies/other_judges.hpp"
#include "reports/text/format.hpp"
#include "reports/text/table.hpp"

namespace parity::cli {
namespace {

using Json = nlohmann::ordered_json;
using faults::Alarm;
using faults::FalseAlarmStudy;
using faults::Headroom;

Json json_of(const std::vector<Alarm>& alarms) {
  Json list = Json::array();
  for (const Alarm& alarm : alarms) {
    list.push_back({{"component", alarm.component},
                    {"seed", alarm.seed},
                    {"tap", alarm.tap},
                    {"status", to_string(alarm.status)},
                    {"case", alarm.text},
                    {"reason", alarm.reason}});
  }
  return list;
}

Json json_of(const FalseAlarmStudy& study, const SelftestOptions& options) {
  Json document{{"seed", options.seed},
                {"seeds_of", options.calibration ? "calibration" : "gate"},
                {"runs", study.runs},
                {"false_alarms", study.runs_with_alarms()},
                {"upper_bound_95", study.upper_bound()},
                {"mistrusted", study.runs_mistrusted()},
                {"seconds", study.seconds},
                {"headroom", Json::array()},
                {"alarms", json_of(study.alarms)},
                {"mistrusted_runs", json_of(study.mistrusted)}};
  for (const Headroom& cell : study.headroom) {
    document["headroom"].push_back({{"component", cell.component},
                                    {"dtype", to_string(cell.working)},
                                    {"runs", cell.runs},
                                    {"alarms", cell.alarms},
                                    {"mistrusted", cell.mistrusted},
                                    {"worst_budget", reports::json_number(cell.worst)},
                                    {"worst_seed", cell.seed},
                                    {"oracle_budget", reports::json_number(cell.oracle)},
                                    {"error_over_oracle", reports::json_number(cell.error)},
                                    {"rounds_differently", cell.deviating},
                                    {"loose", cell.loose()},
                                    {"tight", cell.tight()},
                                    {"reached_by_oracle", cell.reached()}});
  }
  return document;
}

/// Returns a table with one line for each component: the largest share of its budget in each working type.
std::string table_of(const FalseAlarmStudy& study) {
  reports::Table table(
      {"component", "runs", "alarms", "mistrusted", "other roundings", "f32", "bf16", "f16", "error / oracle's"}, 1);
  for (size_t i = 0; i < study.headroom.size(); i += 3) {
    int64_t runs = 0, alarms = 0, mistrusted = 0, deviating = 0;
    double error = 0.0;
    std::vector<std::string> shares;
    for (size_t type = 0; type < 3; ++type) {
      const Headroom& cell = study.headroom[i + type];
      runs += cell.runs;
      alarms += cell.alarms;
      mistrusted += cell.mistrusted;
      deviating += cell.deviating;
      if (type > 0) error = std::max(error, cell.error);  // in f32 both errors come from the order of sums
      shares.push_back(cell.runs == 0 ? "-" : reports::of_limit(cell.worst));
    }
    table.add({study.headroom[i].component, reports::count(runs), reports::count(alarms), reports::count(mistrusted),
               reports::count(deviating), shares[0], shares[1], shares[2], reports::number(error, 2)});
  }
  return table.text("  ", terminal_width());
}

/// Prints the bounds that correct kernels never come near, and the bounds that they almost reach.
void print_headroom(const FalseAlarmStudy& study) {
  int64_t reached = 0;
  for (const Headroom& cell : study.headroom) {
    reached += cell.reached() ? 1 : 0;
    if (cell.runs == 0 || !(cell.loose() || cell.tight())) continue;
    fmt::print(
        "{} {} {}: correct kernels need at most {} of the tolerance (seed {}), the roundings of the original package "
        "need {}\n",
        cell.loose() ? "LOOSE" : "TIGHT", cell.component, to_string(cell.working), reports::of_limit(cell.worst),
        cell.seed, reports::of_limit(cell.oracle));
  }
  fmt::print("{} tolerances are hardly larger than the original package's own error, which exceeds {:.0f}% of them\n",
             reached, 100.0 * faults::kTightShare);
}

void print_runs(const char* what, const std::vector<Alarm>& alarms, size_t most) {
  for (size_t i = 0; i < std::min(alarms.size(), most); ++i) {
    const Alarm& alarm = alarms[i];
    fmt::print("{} {} {} (case {}; {})\n     {}\n", what, alarm.component, alarm.tap, alarm.seed, alarm.text,
               reports::plain(alarm.reason));
  }
  if (alarms.size() > most) fmt::print("     and {} more; --json lists all\n", alarms.size() - most);
}

void print(const FalseAlarmStudy& study, const SelftestOptions& options) {
  constexpr size_t kAll = 20, kSome = 3;
  fmt::print(
      "correct kernels {}, {} seeds from seed {} on; largest part of the tolerance that their errors take, by type\n",
      options.own_roundings ? "that round their own way" : "in another order",
      options.calibration ? "calibration" : "gate", options.seed);
  fmt::print("{}", table_of(study));
  print_headroom(study);
  for (size_t j = 0; j < study.refused.size(); ++j)
    fmt::print("      {:<16} rejects {} of the {} runs\n", compare::other_judges()[j].name, study.refused[j],
               study.runs);
  print_runs("MISTRUSTED", study.mistrusted, kSome);
  print_runs("FALSE ALARM", study.alarms, kAll);
  fmt::print("{}  {} correct runs, {} false alarms (rate below {:.2g} with 95% confidence); {} mistrusted; {:.0f} s\n",
             verdict_word(study.holds() ? "PASS" : "FAIL"), study.runs, study.runs_with_alarms(), study.upper_bound(),
             study.runs_mistrusted(), study.seconds);
}

}  // namespace

int selftest_false_alarms(const SelftestOptions& options) {
  faults::FalseAlarmOptions study_options;
  study_options.runs = options.false_alarms.value();
  study_options.seed = options.seed;
  study_options.own_roundings = options.own_roundings;
  study_options.use = options.calibration ? cases::SeedUse::calibration : cases::SeedUse::gate;
  ProgressBar bar("correct runs", options.quiet);
  study_options.progress = [&](size_t done, size_t total) { bar.update(done, total, ""); };
  const FalseAlarmStudy study = faults::run_false_alarms(study_options);
  bar.pause();
  write_document(options.json, "false_alarms", study.holds() ? holds : broken, json_of(study, options));
  if (options.json != "-") print(study, options);
  return study.holds() ? holds : broken;
}

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/reports/document.hpp"
#include "cli/studies/selftest.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "faults/studies/study.hpp"
#include "reports/files/files.hpp"
#include "reports/text/format.hpp"
#include "reports/text/table.hpp"

namespace parity::cli {
namespace {

using Json = nlohmann::ordered_json;
using faults::KindTally;
using faults::Study;
using faults::Trial;

Json json_of(const KindTally& tally) {
  return {{"id", tally.kind},
          {"what", tally.what},
          {"status", tally.runs == 0              ? "skipped"
                     : tally.killed == tally.runs ? "killed"
                                                  : "survived"},
          {"runs", tally.runs},
          {"killed", tally.killed},
          {"named_exact", tally.named},
          {"smallest_effect", reports::json_number(tally.smallest_effect)},
          {"signal_over_threshold", reports::json_number(tally.lowest_signal)}};
}

Json json_of(const Trial& trial) {
  return {{"id", trial.corruption.kind},
          {"fixture", trial.corruption.golden},
          {"component", trial.component},
          {"tap", trial.corruption.tap},
          {"seed", trial.corruption.seed},
          {"status", trial.flagged() ? "killed" : "survived"},
          {"verdict", to_string(trial.verdict)},
          {"named_tap", trial.named.empty() ? Json() : Json(trial.named)},
          {"distance", trial.distance ? Json(*trial.distance) : Json()},
          {"explanation", trial.reason},
          {"effect",
           {{"elements", trial.effect.changed},
            {"share", trial.effect.share},
            {"relative", reports::json_number(trial.effect.relative)}}},
          {"signal_over_threshold", reports::json_number(trial.signal)}};
}

Json json_of(const Study& study, const SelftestOptions& options) {
  Json document{{"seed", options.seed},
                {"summary",
                 {{"faults", 0},
                  {"equivalent", study.redrawn},
                  {"killed", study.killed()},
                  {"kill_rate", study.kill_rate()},
                  {"named_exact", study.named()},
                  {"named_rate", study.named_rate()},
                  {"runs", study.trials.size()},
                  {"false_alarms", study.false_alarms.size()},
                  {"wrongly_explained", study.wrongly_explained()}}},
                {"false_alarms", study.false_alarms},
                {"faults", Json::array()},
                {"corruptions", Json::array()}};
  for (const KindTally& tally : study.by_kind()) document["faults"].push_back(json_of(tally));
  document["summary"]["faults"] = document["faults"].size();
  for (const Trial& trial : study.trials) document["corruptions"].push_back(json_of(trial));
  return document;
}

std::string table_of(const Study& study) {
  reports::Table table({"corruption", "runs", "noticed", "named", "smallest effect", "least of budget"}, 1);
  for (const KindTally& tally : study.by_kind()) {
    const bool any = tally.killed > 0;
    table.add({tally.kind, reports::count(tally.runs), reports::count(tally.killed), reports::count(tally.named),
               any ? reports::number(tally.smallest_effect, 2) : "-",
               any ? reports::of_limit(tally.lowest_signal) : "-"});
  }
  return table.text("  ", terminal_width());
}

/// Prints each trial that passed or was named wrongly, with the seed that repeats it.
void print_exceptions(const Study& study) {
  for (const Trial& trial : study.trials) {
    if (!trial.is_fault.empty())
      fmt::print("SAME AS FAULT {}: {} {}#{}  seed {}\n", trial.is_fault, trial.corruption.kind,
                 trial.corruption.golden, trial.corruption.tap, trial.corruption.seed);
    if (!trial.explained_by.empty())
      fmt::print("WRONG CAUSE {} named for {} {}#{}  seed {}\n", trial.explained_by, trial.corruption.kind,
                 trial.corruption.golden, trial.corruption.tap, trial.corruption.seed);
    if (trial.named_exactly()) continue;
    const std::string verdict = !trial.flagged()      ? "MISSED"
                                : trial.named.empty() ? fmt::format("UNNAMED ({})", to_string(trial.verdict))
                                                      : "MISNAMED";
    fmt::print("{} {} {}#{}  {}  seed {}\n", verdict, trial.corruption.kind, trial.corruption.golden,
               trial.corruption.tap, trial.component, trial.corruption.seed);
    fmt::print("     effect {} of the largest magnitude in {} elements ({:.2g}%), {}\n",
               reports::number(trial.effect.relative, 2), trial.effect.changed, 100.0 * trial.effect.share,
               reports::limit_text(trial.signal));
    if (!trial.named.empty()) {
      fmt::print("     named {}{}\n", trial.named,
                 trial.distance ? fmt::format(", {:+} judged taps from the right one", *trial.distance) : "");
    }
    if (!trial.reason.empty()) fmt::print("     {}\n", reports::plain(trial.reason));
  }
}

void print(const Study& study, const SelftestOptions& options) {
  fmt::print("{} corruptions, seed {}; {} more changed nothing and were drawn again\n", study.trials.size(),
             options.seed, study.redrawn);
  fmt::print("{}", table_of(study));
  print_exceptions(study);
  for (const std::string& alarm : study.false_alarms)
    fmt::print("FALSE ALARM on the unaltered {}\n", reports::plain(alarm));
  fmt::print(
      "{}  found {}/{} ({:.1f}%), {} of these at the right tap ({:.1f}%), false alarms {}; required: {:.0f}% found, "
      "{:.0f}% at the right tap\n",
      verdict_word(study.holds() ? "PASS" : "FAIL"), study.killed(), study.trials.size(), 100.0 * study.kill_rate(),
      study.named(), 100.0 * study.named_rate(), study.false_alarms.size(), 100.0 * faults::kLeastKillRate,
      100.0 * faults::kLeastNamedRate);
}

}  // namespace

int selftest_corruptions(const SelftestOptions& options, const std::vector<std::filesystem::path>& goldens) {
  faults::StudyOptions study_options;
  study_options.goldens = goldens;
  study_options.corruptions = options.corruptions.value();
  study_options.seed = options.seed;
  study_options.explained = options.explain;
  ProgressBar bar("corruptions", options.quiet);
  study_options.progress = [&](size_t done, size_t total) { bar.update(done, total, ""); };
  const Study study = faults::run_study(study_options);
  bar.pause();
  write_document(options.json, "corruptions", study.holds() ? holds : broken, json_of(study, options));
  if (options.json != "-") print(study, options);
  if (options.explain && options.json != "-")
    fmt::print("      wrongly explained by a known fault: {} of {}\n", study.wrongly_explained(), study.trials.size());
  return study.holds() ? holds : broken;
}

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <map>
#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/reports/document.hpp"
#include "cli/studies/selftest.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "core/sharding/rank_names.hpp"
#include "core/shipped.hpp"
#include "faults/studies/rank_study.hpp"
#include "reports/text/format.hpp"
#include "reports/text/table.hpp"

namespace parity::cli {
namespace {

using faults::RankStudy;
using faults::RankTrial;
using Json = nlohmann::ordered_json;

const char* status_of(const RankTrial& trial) {
  if (!trial.planted()) return "not planted";
  return !trial.killed() ? "survived" : trial.named ? "named" : "killed";
}

std::string golden_of(const RankTrial& trial) { return std::filesystem::path(trial.golden).filename().string(); }

double share(int64_t part, int64_t all) {
  return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
}

/// What a line of the table counts: a kind of fault, or a layout.
struct Line {
  faults::RankCounts counts;
  int64_t clean = 0, alarms = 0;

  [[nodiscard]] Json json() const {
    return {{"trials", counts.asked},
            {"killed", counts.killed},
            {"named", counts.named},
            {"clean", clean},
            {"false_alarms", alarms}};
  }
};
using Lines = std::map<std::string, Line>;

Lines by_kind(const RankStudy& study) {
  Lines lines;
  for (const RankTrial& trial : study.trials) lines[faults::kind_name(trial.kind())].counts.add(trial);
  return lines;
}

Lines by_layout(const RankStudy& study) {
  Lines lines;
  for (const RankTrial& trial : study.trials)
    lines[trial.planted() ? layout_text(trial.layout) : "not planted"].counts.add(trial);
  for (const faults::CleanRun& run : study.clean) {
    Line& line = lines[layout_text(run.layout)];
    ++line.clean;
    line.alarms += run.alarm.empty() ? 0 : 1;
  }
  return lines;
}

Json json_of(const Lines& lines) {
  Json document = Json::object();
  for (const auto& [name, line] : lines) document[name] = line.json();
  return document;
}

Json json_of(const RankStudy& study, const SelftestOptions& options) {
  const faults::RankCounts counts = study.counts();
  const auto alarms = study.false_alarms();
  Json document{{"seed", options.seed},
                {"summary",
                 {{"candidate", options.candidate.empty() ? "reference" : options.candidate},
                  {"faults", study.faults(false)},
                  {"trials", counts.asked},
                  {"killed", counts.killed},
                  {"kill_rate", share(counts.killed, counts.asked)},
                  {"named", counts.named},
                  {"named_rate", share(counts.named, counts.asked)},
                  {"clean", study.clean.size()},
                  {"false_alarms", alarms.size()}}},
                {"kinds", json_of(by_kind(study))},
                {"layouts", json_of(by_layout(study))},
                {"false_alarms", alarms},
                {"trials", Json::array()}};
  for (const RankTrial& trial : study.trials)
    document["trials"].push_back({{"fault", trial.fault},
                                  {"candidate", "fault:" + trial.word},
                                  {"golden", trial.golden},
                                  {"layout", layout_text(trial.layout)},
                                  {"kind", faults::kind_name(trial.kind())},
                                  {"link", trial.of_link},
                                  {"status", status_of(trial)},
                                  {"tap", trial.tap},
                                  {"ranks", trial.wrong},
                                  {"named_tap", trial.named_tap},
                                  {"text", trial.text},
                                  {"lent", trial.lent},
                                  {"defect", trial.defect}});
  return document;
}

void print_trials(const RankStudy& study) {
  reports::Table table({"fault", "golden", "layout", "status", "the judge says"}, 5);
  for (const RankTrial& trial : study.trials)
    table.add({trial.planted() ? trial.word : trial.fault, golden_of(trial), layout_text(trial.layout),
               status_of(trial), trial.text.empty() ? "-" : reports::plain(trial.text)});
  fmt::print("{}", table.text("  ", terminal_width()));
  for (const RankTrial& trial : study.trials) {
    if (trial.killed() && trial.named) continue;
    fmt::print("{} {}  {}, {}: first changed tap {} at {}, named tap {}\n",
               !trial.planted() ? "NOT PLANTED"
               : trial.killed() ? "NOT NAMED"
                                : "MISSED",
               trial.word, golden_of(trial), layout_text(trial.layout), trial.tap.empty() ? "none" : trial.tap,
               ranks_text(trial.wrong), trial.named_tap.empty() ? "none" : reports::plain(trial.named_tap));
    if (!trial.defect.empty()) fmt::print("     {}\n", reports::plain(trial.defect));
  }
  for (const std::string& alarm : study.false_alarms()) fmt::print("FALSE ALARM, {}\n", reports::plain(alarm));
}

void print_counts(const Lines& lines, const char* title) {
  reports::Table table({title, "planted", "noticed", "named", "without a fault", "false alarms"}, 1);
  for (const auto& [name, line] : lines) {
    const auto& counts = line.counts;
    const std::string clean = line.clean > 0 ? fmt::format("{}", line.clean) : "";
    table.add({name, fmt::format("{}", counts.asked), fmt::format("{}", counts.killed), fmt::format("{}", counts.named),
               clean, clean.empty() ? "" : fmt::format("{}", line.alarms)});
  }
  fmt::print("{}", table.text("  ", terminal_width()));
}

/// Says which faults are in the reference, as the candidate has no kernel of their components.
void print_lent(const RankStudy& study, const std::string& candidate) {
  std::set<std::string> components;
  int64_t lent = 0;
  for (const RankTrial& trial : study.trials) {
    if (trial.lent.empty()) continue;
    ++lent;
    components.insert(trial.lent);
  }
  if (lent > 0)
    fmt::print(
        "      {} of these faults are in components that the reference computes, because {} has no kernel of them: "
        "{}\n",
        lent, candidate, fmt::join(components, ", "));
}

void print(const RankStudy& study, const SelftestOptions& options) {
  print_trials(study);
  print_counts(by_kind(study), "kind");
  print_counts(by_layout(study), "layout");
  const faults::RankCounts counts = study.counts();
  fmt::print(
      "{}  {} faults of ranks and links, planted {} times, seed {}; {} layouts without a fault, {} false alarms\n",
      verdict_word(study.holds() ? "PASS" : "FAIL"), study.faults(false), counts.asked, options.seed,
      study.clean.size(), study.false_alarms().size());
  print_lent(study, options.candidate);
  const auto line = [&](const char* name, int64_t count, double least) {
    fmt::print("      {:<24} {:>4} of {}  {:.1f}%, at least {:.0f}% required\n", name, count, counts.asked,
               100.0 * share(count, counts.asked), 100.0 * least);
  };
  line("noticed", counts.killed, faults::kLeastRankFaultsKilled);
  line("rank or link named", counts.named, faults::kLeastRanksNamed);
}

}  // namespace

int selftest_ranks(const SelftestOptions& options, const std::vector<std::filesystem::path>& goldens) {
  faults::RankStudyOptions asked;
  asked.goldens = goldens;
  if (options.goldens.empty()) asked.captures = shipped("golden/ranks");
  asked.select = options.faults;
  asked.backend = options.candidate;
  asked.seed = options.seed;
  asked.repeats = options.ranks.value();
  ProgressBar bar("faults of ranks", options.quiet);
  asked.progress = [&](size_t done, size_t total) { bar.update(done, total, ""); };
  const RankStudy study = faults::run_rank_study(asked);
  bar.pause();
  PARITY_CHECK(!study.trials.empty(), usage, "no fault of ranks matches '{}'; see parity list faults", options.faults);
  write_document(options.json, "rank_faults", study.holds() ? holds : broken, json_of(study, options));
  if (options.json != "-") print(study, options);
  return study.holds() ? holds : broken;
}

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/document.hpp"
#include "cli/progress.hpp"
#include "cli/selftest.hpp"
#include "cli/terminal.hpp"
#include "core/sharding/rank_names.hpp"
#include "core/shipped.hpp"
#include "faults/studies/rank_study.hpp"
#include "reports/format.hpp"
#include "reports/table.hpp"

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

double share(int64_t part, size_t all) { return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all); }

Json json_of(const RankStudy& study, const SelftestOptions& options) {
  const size_t all = study.trials.size();
  Json document{{"seed", options.seed},
                {"summary",
                 {{"candidate", options.candidate.empty() ? "reference" : options.candidate},
                  {"faults", study.faults(false)},
                  {"trials", all},
                  {"killed", study.killed()},
                  {"kill_rate", share(study.killed(), all)},
                  {"named", study.named()},
                  {"named_rate", share(study.named(), all)},
                  {"clean", study.clean},
                  {"false_alarms", study.false_alarms.size()}}},
                {"false_alarms", study.false_alarms},
                {"trials", Json::array()}};
  for (const RankTrial& trial : study.trials)
    document["trials"].push_back({{"fault", trial.fault},
                                  {"candidate", "fault:" + trial.word},
                                  {"golden", trial.golden},
                                  {"layout", layout_text(trial.layout)},
                                  {"link", trial.of_link},
                                  {"status", status_of(trial)},
                                  {"tap", trial.tap},
                                  {"ranks", trial.wrong},
                                  {"named_tap", trial.named_tap},
                                  {"text", trial.text},
                                  {"defect", trial.defect}});
  return document;
}

void print(const RankStudy& study, const SelftestOptions& options) {
  reports::Table table({"fault", "golden", "layout", "status", "the judge says"}, 4);
  for (const RankTrial& trial : study.trials)
    table.add({trial.planted() ? trial.word : trial.fault, golden_of(trial), layout_text(trial.layout),
               status_of(trial), trial.text.empty() ? "-" : reports::plain(trial.text)});
  fmt::print("{}", table.text("  ", terminal_width()));
  for (const RankTrial& trial : study.trials) {
    if (trial.killed() && trial.named) continue;
    fmt::print("{} {}  {}, {}: first changed {} at {}, named {}\n",
               !trial.planted() ? "NOT PLANTED"
               : trial.killed() ? "NOT NAMED"
                                : "SURVIVED",
               trial.word, golden_of(trial), layout_text(trial.layout), trial.tap.empty() ? "nothing" : trial.tap,
               ranks_text(trial.wrong), trial.named_tap.empty() ? "nothing" : reports::plain(trial.named_tap));
    if (!trial.defect.empty()) fmt::print("     {}\n", reports::plain(trial.defect));
  }
  for (const std::string& alarm : study.false_alarms)
    fmt::print("FALSE ALARM without a fault, {}\n", reports::plain(alarm));
  const size_t all = study.trials.size();
  fmt::print(
      "{}  {} faults of ranks and links, planted {} times, seed {}; {} layouts without a fault, {} false alarms\n",
      verdict_word(study.holds() ? "PASS" : "FAIL"), study.faults(false), all, options.seed, study.clean,
      study.false_alarms.size());
  const auto line = [&](const char* name, int64_t count, double least) {
    fmt::print("      {:<24} {:>4} of {}  {:.1f}%, at least {:.0f}% required\n", name, count, all,
               100.0 * share(count, all), 100.0 * least);
  };
  line("killed", study.killed(), faults::kLeastRankFaultsKilled);
  line("rank or link named", study.named(), faults::kLeastRanksNamed);
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

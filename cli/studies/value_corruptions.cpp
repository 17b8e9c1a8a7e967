// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <set>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/reports/document.hpp"
#include "cli/studies/selftest.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "faults/values/value_study.hpp"
#include "reports/files/files.hpp"
#include "reports/text/format.hpp"
#include "reports/text/summary.hpp"
#include "reports/text/table.hpp"

namespace parity::cli {
namespace {

using Json = nlohmann::ordered_json;
using faults::ValueStudy;
using faults::ValueTrial;

const char* outcome_of(const ValueTrial& trial) {
  if (trial.misnamed()) return "named wrongly";
  if (!trial.said) return "not named";
  return trial.equivalent ? "equivalent" : "named";
}

Json json_of(const ValueTrial& trial) {
  Json json{{"corruption", trial.kind}, {"kind", to_string(trial.corruption->kind)},
            {"fixture", trial.golden},  {"tap", trial.tap},
            {"seed", trial.seed},       {"outcome", outcome_of(trial)}};
  if (trial.said)
    json["values"] = {
        {"kind", to_string(trial.said->kind)}, {"axis", trial.said->axis}, {"detail", trial.said->detail}};
  return json;
}

Json json_of(const ValueStudy& study, const SelftestOptions& options) {
  Json document{{"seed", options.seed},
                {"summary",
                 {{"corruptions", study.trials.size()},
                  {"kinds", study.by_kind().size()},
                  {"named", study.named()},
                  {"named_rate", study.named_rate()},
                  {"named_wrongly", study.misnamed()},
                  {"redrawn", study.redrawn},
                  {"within_tolerance", study.unnoticed}}},
                {"corruptions", Json::array()}};
  for (const ValueTrial& trial : study.trials) document["corruptions"].push_back(json_of(trial));
  return document;
}

void print(const ValueStudy& study, const SelftestOptions& options) {
  reports::Table table({"corruption", "kind", "runs", "named", "of these without effect", "wrongly"}, 2);
  std::set<compare::ValueKind> kinds;
  for (const faults::ValueTally& tally : study.by_kind()) {
    kinds.insert(tally.corruption->kind);
    table.add({tally.corruption->name, to_string(tally.corruption->kind), reports::count(tally.runs),
               reports::count(tally.named), reports::count(tally.equivalent), reports::count(tally.misnamed)});
  }
  fmt::print(
      "{} taps were damaged, seed {}; damage was drawn again where it changed fewer than {} elements ({} times) or "
      "stayed within the tolerance ({} times)\n{}",
      study.trials.size(), options.seed, faults::kFewestDamaged, study.redrawn, study.unnoticed,
      table.text("  ", terminal_width()));
  for (const ValueTrial& trial : study.trials) {
    if (trial.named()) continue;
    const std::string said = reports::values_text(trial.said);
    fmt::print("{} {} {}#{}  seed {}{}\n", trial.misnamed() ? "WRONG NAME" : "NOT NAMED", trial.kind, trial.golden,
               trial.tap, trial.seed, said.empty() ? "" : "\n     said " + said);
  }
  fmt::print(
      "{}  the kind of damage is named for {}/{} taps ({:.1f}%, at least {:.0f}% required), a wrong kind for {}; {} "
      "forms of {} kinds\n",
      verdict_word(study.holds() ? "PASS" : "FAIL"), study.named(), study.trials.size(), 100.0 * study.named_rate(),
      100.0 * faults::kLeastValuesNamed, study.misnamed(), study.by_kind().size(), kinds.size());
}

}  // namespace

int selftest_value_corruptions(const SelftestOptions& options, const std::vector<std::filesystem::path>& goldens) {
  faults::ValueStudyOptions study_options;
  study_options.goldens = goldens;
  study_options.corruptions = options.value_corruptions.value();
  study_options.seed = options.seed;
  study_options.only = options.faults;
  ProgressBar bar("values", options.quiet);
  study_options.progress = [&](size_t done, size_t total) { bar.update(done, total, ""); };
  const ValueStudy study = faults::run_value_study(study_options);
  bar.pause();
  write_document(options.json, "value_corruptions", study.holds() ? holds : broken, json_of(study, options));
  if (options.json != "-") print(study, options);
  return study.holds() ? holds : broken;
}

}  // namespace parity::cli

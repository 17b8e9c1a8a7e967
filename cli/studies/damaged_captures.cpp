// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/captures/damaged_captures.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/reports/document.hpp"
#include "cli/studies/selftest.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "optimized/backends.hpp"
#include "reports/text/format.hpp"
#include "reports/text/table.hpp"

namespace parity::cli {
namespace {

using faults::DamagedCapture;
using faults::DamagedCaptureStudy;
using Json = nlohmann::ordered_json;

Json json_of(const DamagedCaptureStudy& study, uint64_t seed) {
  Json document{
      {"seed", seed},
      {"summary",
       {{"captures", study.captures.size()}, {"green", study.green()}, {"false_alarms", study.false_alarms.size()}}},
      {"false_alarms", study.false_alarms},
      {"captures", Json::array()}};
  for (const DamagedCapture& capture : study.captures)
    document["captures"].push_back({{"kind", capture.kind},
                                    {"golden", capture.golden},
                                    {"made_by", capture.made_by},
                                    {"base", capture.base},
                                    {"detail", capture.detail},
                                    {"seed", capture.seed},
                                    {"verdict", capture.refused ? "refused" : to_string(capture.verdict)},
                                    {"reason", capture.reason}});
  return document;
}

void print(const DamagedCaptureStudy& study, uint64_t seed) {
  reports::Table table({"damage", "what", "captures", "refused", "broken", "not shown", "passed"}, 2);
  for (const auto& tally : study.by_kind())
    table.add({tally.kind, tally.what, reports::count(tally.runs), reports::count(tally.refused),
               reports::count(tally.failed), reports::count(tally.not_shown), reports::count(tally.green)});
  fmt::print("{}", table.text("  ", terminal_width()));
  for (const DamagedCapture& capture : study.captures) {
    if (capture.green())
      fmt::print("PASSED although damaged: {} ({}, {}) {}: {}  seed {}\n", capture.kind, capture.made_by, capture.base,
                 capture.golden, reports::plain(capture.detail), capture.seed);
  }
  for (const std::string& alarm : study.false_alarms) fmt::print("FALSE ALARM, undamaged: {}\n", reports::plain(alarm));
  fmt::print(
      "{}  {} damaged captures ({} of them made from runs of {}), seed {}: {} passed, {} false alarms; both must be "
      "0\n",
      verdict_word(study.holds() ? "PASS" : "FAIL"), study.captures.size(), study.made_by(optimized::own_backend()),
      optimized::own_backend(), seed, study.green(), study.false_alarms.size());
}

}  // namespace

int selftest_damaged_captures(const SelftestOptions& options, const std::vector<std::filesystem::path>& goldens) {
  faults::DamagedCaptureOptions asked;
  asked.goldens = goldens;
  asked.backends = {optimized::own_backend()};
  asked.captures = options.damaged_captures.value();
  asked.seed = options.seed;
  ProgressBar bar("captures", options.quiet);
  asked.progress = [&](size_t done, size_t total) { bar.update(done, total, ""); };
  const DamagedCaptureStudy study = faults::run_damaged_captures(asked);
  bar.pause();
  write_document(options.json, "damaged_captures", study.holds() ? holds : broken, json_of(study, options.seed));
  if (options.json != "-") print(study, options.seed);
  return study.holds() ? holds : broken;
}

}  // namespace parity::cli

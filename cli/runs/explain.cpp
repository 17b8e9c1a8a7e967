// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/explaining/explain.hpp"

#include <optional>
#include <set>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/reports/report_file.hpp"
#include "cli/runs/candidate.hpp"
#include "cli/terminal/progress.hpp"
#include "core/sharding/rank_names.hpp"
#include "reports/json/json.hpp"
#include "reports/text/format.hpp"
#include "reports/text/summary.hpp"

namespace parity::cli {
namespace {

struct Question {
  std::string golden, tap, candidate, profile;
  Layout layout;                          // ranks among which the model is divided
  std::optional<compare::Policy> policy;  // the policy of the report; none: the candidate's default
};

/// Returns the first golden of a report that diverges and, if a tap is given, has that tap.
Question question_of_report(const ExplainOptions& options) {
  const compare::RunReport report = reports::from_json(read_report_file(options.what));
  for (const compare::GoldenReport& golden : report.goldens) {
    if (!golden.first_divergence) continue;
    const std::string tap = options.tap.empty() ? golden.first_divergence->tap : options.tap;
    for (const compare::Record& record : golden.records) {
      if (record.tap == tap)
        return {golden.path, tap, golden.candidate, golden.profile, parse_layout(golden.layout), golden.policy};
    }
  }
  throw Error(ErrorCode::usage,
              fmt::format("{}: {}", options.what,
                          options.tap.empty()
                              ? "no tap of this report is wrong or rounds differently; there is nothing to explain"
                              : "no golden of this report that has a wrong tap contains tap " + options.tap));
}

Question question_of(const ExplainOptions& options) {
  if (options.what.ends_with(".json")) return question_of_report(options);
  const size_t hash = options.what.rfind('#');
  if (hash == std::string::npos)
    return {options.what, options.tap, options.candidate, options.profile, options.layout, {}};
  return {options.what.substr(0, hash),
          options.what.substr(hash + 1),
          options.candidate,
          options.profile,
          options.layout,
          {}};
}

/// Makes `tap` the divergence to explain. Clears the divergence if `tap` neither fails nor rounds differently.
void ask_about(const std::string& tap, compare::GoldenReport& report) {
  report.first_divergence.reset();
  for (const compare::Record& record : report.records) {
    if (record.tap == tap && (!compare::is_green(record.status) || record.deviation))
      report.first_divergence = compare::Divergence{record.tap, record.component, record.layer, ""};
  }
}

/// Returns how the tap rounds, if bounds are judged and they allow it; nothing if the tap is wrong.
std::optional<compare::Deviation> other_rounding(const compare::GoldenReport& report) {
  if (report.policy != compare::Policy::bounds) return std::nullopt;
  for (const compare::Record& record : report.records) {
    if (record.tap == report.first_divergence->tap && record.deviation) return record.deviation;
  }
  return std::nullopt;
}

void print_rounding(const compare::GoldenReport& report, const compare::Deviation& deviation) {
  std::set<std::string> others;
  for (const compare::Record& record : report.records) {
    if (record.deviation && record.tap != report.first_divergence->tap) others.insert(record.tap);
  }
  fmt::print("  the candidate rounds differently: {}; its error is {} times that of the original package\n",
             reports::plain(deviation.text), reports::number(deviation.cost, 2));
  if (!others.empty()) fmt::print("  {} more taps round differently; parity run -v lists how\n", others.size());
  fmt::print("  nothing is wrong: the error is within the derived bounds\n");
}

/// Prints the known faults that explain the divergence; if there are none, causes that the catalogue lacks.
void print_causes(const golden::Golden& golden, const compare::RunOptions& judged, const compare::GoldenReport& report,
                  double seconds, ProgressBar& bar) {
  bar.note("testing known faults");
  const auto found = faults::explain(golden, judged, report);
  bar.pause();
  for (const faults::Explanation& explanation : found) {
    fmt::print("  {}\n", reports::plain(faults::text_of(explanation)));
    for (const std::string& url : explanation.faults.front().seen) fmt::print("      seen: {}\n", url);
  }
  if (!found.empty()) return;
  faults::ExplainSettings settings;
  settings.seconds = seconds;
  bar.note("looking for causes that the catalogue lacks");
  const auto findings = faults::investigate(golden, judged, report, settings);
  bar.pause();
  for (const faults::Explanation& explanation : findings.explanations)
    fmt::print("  {}\n", reports::plain(faults::text_of(explanation)));
  if (findings.explanations.empty()) fmt::print("  {}\n", findings.text(report.first_divergence->tap));
}

}  // namespace

int explain(const ExplainOptions& options) {
  const Question question = question_of(options);
  compare::RunOptions judged;
  set_candidate(question.candidate, judged);
  judged.profile = question.profile;
  judged.layout = question.layout;
  judged.policy = question.policy;
  judged.mode = compare::Mode::isolated;
  const auto golden = golden::Golden::open(question.golden);
  ProgressBar bar("explaining " + reports::plain(question.golden), options.quiet);
  judged.progress = [&](size_t done, size_t total, const std::string& where) { bar.update(done, total, where); };
  compare::GoldenReport report = compare::run_golden(golden, judged);
  judged.progress = {};
  if (!question.tap.empty()) ask_about(question.tap, report);
  bar.pause();
  if (!report.first_divergence) {
    fmt::print("{}: nothing fails{}; there is nothing to explain\n", reports::plain(question.golden),
               question.tap.empty() ? "" : " at " + reports::plain(question.tap));
    return holds;
  }
  fmt::print("{}  {}\n", reports::plain(report.first_divergence->tap),
             reports::plain(report.first_divergence->component));
  if (report.ranks && report.ranks->tap == report.first_divergence->tap)
    fmt::print("  ranks   {}\n", reports::plain(report.ranks->text));
  if (const auto deviation = other_rounding(report)) {
    print_rounding(report, *deviation);
    return holds;
  }
  bar.note("comparing the values");
  say_values(question.golden, judged, report);
  bar.pause();
  const std::string values = reports::values_text(report.first_divergence->values);
  if (!values.empty()) fmt::print("  values  {}\n", values);
  print_causes(golden, judged, report, options.seconds, bar);
  return broken;
}

}  // namespace parity::cli

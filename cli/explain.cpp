// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/explaining/explain.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cases/backends.hpp"
#include "cli/candidate.hpp"
#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/report_file.hpp"
#include "compare/divergent_values.hpp"
#include "core/text.hpp"
#include "faults/computed.hpp"
#include "faults/explaining/unnoticed.hpp"
#include "reports/format.hpp"
#include "reports/json.hpp"
#include "reports/summary.hpp"

namespace parity::cli {
void refuse_absent(const std::string& option, const std::string& candidate, const std::string& accepted) {
  const std::string given = fmt::format("{} '{}'", option, candidate);
  const optimized::Backend* backend = cases::backend_of(candidate);
  if (backend != nullptr) with_context(given, [&] { backend->require(); });
  bool absent = backend != nullptr;
  for (const char* word : {"optimized", "cuda", "gpu"}) absent |= cases::library_of(candidate) == word;
  PARITY_CHECK(!absent, device, "{}: this build has no such backend; use {}", given, accepted);
}

void set_candidate(const std::string& candidate, compare::RunOptions& options) {
  using Candidate = compare::RunOptions::Candidate;
  constexpr std::string_view kCapture = "capture:";
  if (candidate.empty() || candidate == "golden") {
    options.candidate = Candidate::golden;
  } else if (candidate == "reference") {
    options.candidate = Candidate::reference;
  } else if (candidate.starts_with(kCapture)) {
    options.candidate = Candidate::capture;
    options.capture = candidate.substr(kCapture.size());
    PARITY_CHECK(!options.capture.empty(), usage, "--candidate '{}' names no file; use capture:FILE", candidate);
    if (std::filesystem::is_directory(options.capture)) options.capture /= "activations.h5";
  } else if (faults::is_computed(candidate)) {
    options.candidate = Candidate::computed;
    options.computed = candidate;
    options.compute = faults::compute_of(candidate);
  } else {
    const std::string accepted = fmt::format("golden, reference, {}, fault:ID, cpu+fault:ID or capture:FILE",
                                             fmt::join(cases::candidates(), ", "));
    const bool file = candidate.ends_with(".h5") || std::filesystem::exists(candidate);
    PARITY_CHECK(!file, usage, "--candidate '{0}' is a file; did you mean 'capture:{0}'?", candidate);
    refuse_absent("--candidate", candidate, accepted);
    std::vector<std::string> known = cases::candidates();
    known.insert(known.end(), {"golden", "reference", "capture:FILE"});
    throw Error(ErrorCode::usage, fmt::format("--candidate '{}' is not known{}; use {}", candidate,
                                              did_you_mean(candidate, known), accepted));
  }
}

void say_values(const std::string& golden, const compare::RunOptions& options, compare::GoldenReport& report) {
  if (!report.first_divergence) return;
  try {
    report.first_divergence->values = compare::divergent_values(golden::Golden::open(golden), options, report);
  } catch (const Error&) {  // the verdict stands without a name for the values
    report.first_divergence->values.reset();
  }
}

namespace {

/// Where no cause is found, what the values are is the next best thing to know.
void add_values(const golden::Golden& golden, const compare::RunOptions& options, const compare::GoldenReport& report,
                const faults::Findings& findings, std::vector<compare::Cause>& causes) {
  for (const std::string& tap : findings.unnamed) {
    compare::GoldenReport at = report;
    at.first_divergence = compare::Divergence{tap, {}, {}, {}};
    const std::string text = reports::values_text(compare::divergent_values(golden, options, at));
    if (!text.empty())
      causes.push_back({tap, "text", {}, text, 1.0 / static_cast<double>(std::max<int64_t>(findings.failing, 1))});
  }
}

}  // namespace

void say_power(const std::string& golden, const compare::RunOptions& options, compare::GoldenReport& report) {
  if (report.answer == compare::Answer::wrong || report.answer == compare::Answer::not_shown) return;
  report.notes.push_back(faults::text_of(faults::unnoticed_faults(golden::Golden::open(golden), options, report)));
}

void explain_divergence(const std::string& golden, const compare::RunOptions& options, compare::GoldenReport& report) {
  constexpr double kLeast = 30.0;  // seconds; naming may take as long as the run did, if that is more
  if (!report.first_divergence || !report.first_divergence->explanation.empty()) return;
  const bool right = report.answer == compare::Answer::rounds_differently && report.policy == compare::Policy::bounds;
  if (right) return;  // the deviations are listed, each with what explains it
  faults::ExplainSettings settings;
  settings.seconds = std::max(kLeast, report.seconds);
  const auto opened = golden::Golden::open(golden);
  const auto findings = faults::investigate(opened, options, report, settings);
  report.first_divergence->explanation =
      findings.text(report.first_divergence->tap, reports::values_text(report.first_divergence->values));
  report.causes = findings.causes();
  add_values(opened, options, report, findings, report.causes);
}

namespace {

struct Question {
  std::string golden, tap, candidate, profile;
};

/// The first golden of a report that diverges, or that holds the tap.
Question question_of_report(const ExplainOptions& options) {
  const compare::RunReport report = reports::from_json(read_report_file(options.what));
  for (const compare::GoldenReport& golden : report.goldens) {
    if (!golden.first_divergence) continue;
    const std::string tap = options.tap.empty() ? golden.first_divergence->tap : options.tap;
    for (const compare::Record& record : golden.records) {
      if (record.tap == tap) return {golden.path, tap, golden.candidate, golden.profile};
    }
  }
  throw Error(ErrorCode::usage, fmt::format("{}: {}", options.what,
                                            options.tap.empty() ? "nothing diverges there; there is nothing to explain"
                                                                : "no diverging golden there has tap " + options.tap));
}

Question question_of(const ExplainOptions& options) {
  if (options.what.ends_with(".json")) return question_of_report(options);
  const size_t hash = options.what.rfind('#');
  if (hash == std::string::npos) return {options.what, options.tap, options.candidate, options.profile};
  return {options.what.substr(0, hash), options.what.substr(hash + 1), options.candidate, options.profile};
}

}  // namespace

int explain(const ExplainOptions& options) {
  const Question question = question_of(options);
  compare::RunOptions judged;
  set_candidate(question.candidate, judged);
  judged.profile = question.profile;
  judged.mode = compare::Mode::isolated;
  const auto golden = golden::Golden::open(question.golden);
  ProgressBar bar("judging " + question.golden);
  compare::GoldenReport report = compare::run_golden(golden, judged);
  if (!question.tap.empty()) {
    report.first_divergence.reset();
    for (const compare::Record& record : report.records) {
      if (record.tap == question.tap && !compare::is_green(record.status))
        report.first_divergence = compare::Divergence{record.tap, record.component, record.layer, ""};
    }
  }
  bar.pause();
  if (!report.first_divergence) {
    fmt::print("{}: nothing fails{}; there is nothing to explain\n", reports::plain(question.golden),
               question.tap.empty() ? "" : " at " + reports::plain(question.tap));
    return holds;
  }
  fmt::print("{}  {}\n", report.first_divergence->tap, report.first_divergence->component);
  say_values(question.golden, judged, report);
  const std::string values = reports::values_text(report.first_divergence->values);
  if (!values.empty()) fmt::print("  values  {}\n", values);
  bar.note("trying known faults");
  const auto found = faults::explain(golden, judged, report);
  bar.pause();
  for (const faults::Explanation& explanation : found) {
    fmt::print("  {}\n", reports::plain(faults::text_of(explanation)));
    for (const std::string& url : explanation.faults.front().seen) fmt::print("      seen: {}\n", url);
  }
  if (found.empty()) {
    faults::ExplainSettings settings;
    settings.seconds = options.seconds;
    bar.note("looking for what nobody listed");
    const auto findings = faults::investigate(golden, judged, report, settings);
    bar.pause();
    for (const faults::Explanation& explanation : findings.explanations)
      fmt::print("  {}\n", reports::plain(faults::text_of(explanation)));
    if (findings.explanations.empty()) fmt::print("  {}\n", findings.text(report.first_divergence->tap));
  }
  return broken;
}

}  // namespace parity::cli

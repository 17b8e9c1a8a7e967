// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/golden_run.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include "compare/accounting.hpp"
#include "compare/alias_check.hpp"
#include "compare/coverage.hpp"
#include "compare/opened_run.hpp"
#include "compare/verdict.hpp"
#include "core/text.hpp"
#include "golden/sha256.hpp"
#include "reference/reference.hpp"

namespace parity::compare {
namespace {

std::vector<replay::Span> selected_spans(const std::vector<replay::Span>& spans, const std::string& select) {
  std::vector<replay::Span> result;
  for (const replay::Span& span : spans) {
    const auto wanted = [&](const std::string& tap) { return glob_match(select, tap); };
    if (std::any_of(span.judged.begin(), span.judged.end(), wanted)) result.push_back(span);
  }
  return result;
}

/// What one golden's walks share.
struct Session {
  const OpenedRun& opened;
  const replay::Evaluator& evaluator;
  const replay::Recording& recording;
  std::vector<replay::Span> spans;
  GoldenReport& report;
  StandsFor stands_for;
  int walks = 0;  // what no walk can use is a verdict of the first

  void walk(Mode mode) {
    JudgeOptions judge = opened.judge_options(mode, stands_for);
    judge.own_decisions = static_cast<bool>(opened.options().hypothesis);
    JudgeVisitor visitor(evaluator, judge);
    if (walks++ == 0) {
      for (const auto& [tap, mismatch] : recording.mismatches()) visitor.mismatched(tap, mismatch);
    }
    if (mode == Mode::isolated) {
      replay::walk_isolated(evaluator, recording, selected_spans(spans, judge.select), visitor);
      report.largest_span_bytes = visitor.largest_span_bytes();
      report.largest_span = visitor.largest_span();
    } else {
      replay::walk_chained(evaluator, recording, visitor);
    }
    for (Record& record : visitor.take_records()) {
      if (!opened.is_own(record, stands_for)) {
        record.status = Status::skipped;
        record.reason =
            fmt::format("{} has no kernel of {}; the reference computed it", opened.options().made, record.component);
      }
      report.records.push_back(std::move(record));
    }
  }
};

std::vector<Mode> modes_of(const RunOptions& options, DType dtype) {
  if (options.mode) return {*options.mode};
  const bool wide = dtype == DType::f32 || dtype == DType::f64;
  return {Mode::isolated, wide ? Mode::chained : Mode::forced};
}

/// Chained records say what of their error is their own.
void add_isolated_errors(std::vector<Record>& records) {
  std::map<std::string, double> own;
  for (const Record& record : records) {
    if (record.mode == Mode::isolated) own[record.tap] = record.relative_error;
  }
  for (Record& record : records) {
    const auto found = own.find(record.tap);
    if (found != own.end()) record.added = found->second;
  }
}

std::string first_names(const std::vector<std::string>& names) {
  constexpr size_t kShown = 4;
  const std::vector<std::string> shown(names.begin(),
                                       names.begin() + static_cast<int64_t>(std::min(kShown, names.size())));
  return fmt::format("{}{}", fmt::join(shown, ", "), names.size() > kShown ? ", …" : "");
}

void note_weights(const replay::Parameters& parameters, GoldenReport& report) {
  const auto missing = parameters.missing();
  if (!missing.empty())
    report.notes.push_back(fmt::format("the checkpoint lacks {} tensors: {}", missing.size(), first_names(missing)));
  const auto unread = parameters.unread();
  if (!unread.empty())
    report.notes.push_back(
        fmt::format("{} checkpoint tensors are not read by this plan: {}", unread.size(), first_names(unread)));
}

int64_t recorded_outputs(const Plan& plan, const replay::Recording& recording) {
  return std::count_if(plan.taps.begin(), plan.taps.end(),
                       [&](const auto& tap) { return tap.second.producer >= 0 && recording.has(tap.first); });
}

/// A capture may leave taps out; how many, a reader of its verdict should know. So should they what its maker says of it.
void note_capture(const Plan& plan, const replay::Recording& capture, const golden::Golden& golden,
                  const MadeCapture& made, GoldenReport& report) {
  const int64_t ours = recorded_outputs(plan, replay::Recording(golden.activations(), plan));
  const int64_t theirs = recorded_outputs(plan, capture);
  if (theirs < ours)
    report.notes.push_back(fmt::format("the capture holds {} of the {} taps that the golden records", theirs, ours));
  report.notes.insert(report.notes.end(), made.notes.begin(), made.notes.end());
}

}  // namespace

GoldenReport run_golden(const golden::Golden& golden, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  GoldenReport report;
  report.path = golden.folder().string();
  report.name = golden.name();
  report.oracle = golden.facts().oracle;
  report.system = golden.facts().system;
  report.profile = options.profile.empty() ? golden.facts().profile : options.profile;
  report.candidate = candidate_name(options);
  report.notes = golden.warnings();
  const OpenedRun opened(golden, options);
  const golden::ActivationFile& file = opened.file();
  report.sha256 = golden::sha256_of_file(file.path());
  Plan plan = opened.plan();
  const Plan clean = options.hypothesis ? plan : Plan{};
  const Rewritten assumed = options.hypothesis ? options.hypothesis(plan, golden.parameters()) : Rewritten{};
  const replay::Evaluator evaluator(assumed.registry ? *assumed.registry : reference::registry(), plan,
                                    assumed.weights ? *assumed.weights : golden.parameters());
  const replay::Recording recording(file, plan);
  Session session{
      opened, evaluator, recording, replay::build_spans(plan, recording), report, replaced_components(clean, plan)};
  for (const Mode mode : modes_of(options, golden.facts().dtype)) session.walk(mode);
  check_aliases(plan, recording, options.select, report);
  add_isolated_errors(report.records);
  account_taps(plan, recording, session.spans, options.select, report);
  note_weights(evaluator.parameters(), report);
  if (opened.is_capture()) note_capture(plan, recording, golden, opened.made(), report);
  for (const std::string& problem : golden.quantisation_problems()) report.notes.push_back(problem);
  judge_coverage(plan, recording, report);
  report.verdict = worst_status(report.records);
  report.first_divergence = first_divergence(report.records);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/goldens/golden_run.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include "compare/captures/accounting.hpp"
#include "compare/captures/alias_check.hpp"
#include "compare/captures/capture_checks.hpp"
#include "compare/captures/capture_facts.hpp"
#include "compare/captures/computed_notes.hpp"
#include "compare/captures/exchange.hpp"
#include "compare/captures/moved_note.hpp"
#include "compare/goldens/opened_run.hpp"
#include "compare/judging/verdict.hpp"
#include "compare/ranks/links.hpp"
#include "compare/ranks/rank_checks.hpp"
#include "compare/studies/coverage.hpp"
#include "core/plans/profile.hpp"
#include "core/sharding/rank_names.hpp"
#include "core/text.hpp"
#include "golden/files/sha256.hpp"
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

/// State that all walks of one golden share.
struct Session {
  const OpenedRun& opened;
  const replay::Evaluator& evaluator;
  const CandidateValues& candidate;
  std::vector<replay::Span> spans;
  GoldenReport& report;
  StandsFor stands_for;
  std::optional<RankChecks> ranks{};  // of a candidate's own values, if the model is divided
  replay::Moved moved{};              // by walks of a candidate on its own values
  int walks = 0;  // number of walks so far; the first also adds the records of taps that no walk judges

  void walk(Mode mode) {
    JudgeOptions options = opened.judge_options(mode, stands_for);
    options.own_decisions = static_cast<bool>(opened.options().hypothesis);
    if (ranks) options.observe = ranks->observing(options.observe);
    JudgeVisitor visitor(evaluator, options);
    if (walks++ == 0) add_what_no_walk_judges(visitor);
    if (!candidate.isolated) {
      if (!candidate.computation) judge(mode, candidate.sources(nullptr, mode), visitor);
      take_records(visitor, nullptr, candidate.values(), options);
    } else if (mode == Mode::isolated) {
      judge(mode, candidate.sources(&*candidate.isolated, mode), visitor);
      take_records(visitor, &*candidate.isolated, *candidate.isolated, options);
    } else {
      const replay::Execution execution = candidate.executed(mode);
      judge(mode, candidate.sources(&execution, mode), visitor);
      take_records(visitor, &execution, execution, options);
      moved += execution.moved();
      if (!execution.links().empty()) report_links(execution.links(), opened.plan(), execution, report);
    }
  }

 private:
  void judge(Mode mode, const replay::Sources& sources, JudgeVisitor& visitor) {
    if (mode != Mode::isolated) return replay::walk_chained(evaluator, sources, visitor);
    replay::walk_isolated(evaluator, sources, selected_spans(spans, opened.options().select), visitor);
    report.largest_span_bytes = visitor.largest_span_bytes();
    report.largest_span = visitor.largest_span();
  }

  /// Adds records for taps that do not match the plan and for taps that the candidate does not compute.
  void add_what_no_walk_judges(JudgeVisitor& visitor) const {
    for (const auto& [tap, mismatch] : candidate.recording.mismatches()) visitor.mismatched(tap, mismatch);
    if (!candidate.computation) return;
    for (const auto& [tap, info] : evaluator.plan().taps) {
      if (info.producer < 0 || !candidate.recording.has(tap) || candidate.inner.contains(tap)) continue;
      if (!candidate.isolated) {
        visitor.skipped(tap, candidate.computation->lacking);
      } else if (!candidate.isolated->has(tap)) {
        visitor.skipped(tap, candidate.isolated->reason(tap));
      }
    }
  }

  /// Takes the records of a walk over `values`. Skips taps that `execution` (may be nullptr) did not compute itself.
  void take_records(JudgeVisitor& visitor, const replay::Execution* execution, const replay::TapSource& values,
                    const JudgeOptions& options) {
    std::vector<Record> records = visitor.take_records();
    for (Record& record : records) {
      const bool judged = execution != nullptr && record.status != Status::skipped;
      if (!judged || execution->own(record.tap)) continue;
      if (ranks && options.mode != Mode::isolated && ranks->is_received(record.tap)) continue;
      record.status = Status::skipped;
      record.reason = execution->reason(record.tap);
    }
    if (ranks) {
      const replay::Overlay sent = as_sent(values, candidate.recording, options.mode == Mode::forced);
      if (execution != nullptr && options.mode != Mode::isolated) ranks->check_exchanges(sent, options, records);
      ranks->check(sent, records);
    }
    std::move(records.begin(), records.end(), std::back_inserter(report.records));
  }
};

std::vector<Mode> modes_of(const RunOptions& options, DType dtype) {
  if (options.mode) return {*options.mode};
  if (options.inputs == RunOptions::Inputs::golden) return {Mode::isolated};  // single kernels make no chain
  const bool wide = dtype == DType::f32 || dtype == DType::f64;
  return {Mode::isolated, wide ? Mode::chained : Mode::forced};
}

/// Adds to each chained record the error that its node has in isolated mode.
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
        fmt::format("the model does not read {} tensors of the checkpoint: {}", unread.size(), first_names(unread)));
}

int64_t recorded_outputs(const Plan& plan, const replay::Recording& recording) {
  return std::count_if(plan.taps.begin(), plan.taps.end(),
                       [&](const auto& tap) { return tap.second.producer >= 0 && recording.has(tap.first); });
}

/// Notes how many of the golden's taps a capture leaves out.
void note_capture(const Plan& plan, const replay::Recording& capture, const golden::Golden& golden,
                  GoldenReport& report) {
  const int64_t ours = recorded_outputs(plan, replay::Recording(golden.activations(), plan));
  const int64_t theirs = recorded_outputs(plan, capture);
  if (theirs < ours)
    report.notes.push_back(fmt::format("the capture contains {} of the {} taps that the golden records", theirs, ours));
}

/// Accounts for the taps of the judged recording. Taps inside fused kernels are not judged.
void account(const Session& session, GoldenReport& report) {
  const CandidateValues& candidate = session.candidate;
  const Plan& plan = session.evaluator.plan();
  account_taps(plan, candidate.recording, session.spans, session.opened.options().select, report);
  for (const std::string& tap : candidate.inner) {
    if (!candidate.recording.has(tap) || !glob_match(session.opened.options().select, tap)) continue;
    --report.taps.unjudged;
    ++report.taps.spanned;
  }
}

/// Applies the checks of a candidate's file that go beyond its records.
void check_file(const Session& session, const replay::Recording& goldens) {
  const RunOptions& options = session.opened.options();
  const CandidateFile& candidate = session.opened.file();
  GoldenReport& report = session.report;
  if (!candidate.file || options.known_origin) return;
  const bool golden_inputs = options.inputs == RunOptions::Inputs::golden;
  report.capture = CaptureSummary{};
  report.capture->inputs = golden_inputs ? "golden" : "own";
  if (golden_inputs) report.notes.emplace_back("the inputs of every node were the golden's (--inputs golden)");
  if (candidate.weights) report.capture->weights = candidate.weights->differences();
  for (std::string& reason : other_weights(report.capture->weights)) report.not_shown.push_back(std::move(reason));
  const Origin origin =
      origin_of(candidate.declared, implementation_of(session.opened.golden()), candidate.implementation);
  check_capture({goldens, session.candidate.recording, origin, options.select}, session.spans, report);
}

/// With Policy::bits, turns a pass with a deviation (another order or type) into a failure.
void ask_for_bits(GoldenReport& report) {
  if (report.policy != Policy::bits) return;
  for (Record& record : report.records) {
    if (!record.deviation || record.status != Status::pass) continue;
    record.status = Status::fail;
    record.reason = record.deviation->text;
  }
}

/// Computes the coverage and the verdict from all records.
void conclude_golden(const replay::Recording& goldens, const RunOptions& options,
                     const std::optional<RankChecks>& ranks, GoldenReport& report) {
  ask_for_bits(report);
  if (report.capture) recount_judged(report);
  count_coverage(goldens, report);
  check_required(options.required, report);
  report.verdict = worst_status(report.records);
  if (report.capture && report.verdict == Status::skipped) report.verdict = Status::not_recorded;  // no tap was judged
  apply_not_shown(report);
  report.answer = answer_of(report);
  report.first_divergence = first_divergence(report.records);
  if (ranks) ranks->name_rank(report);
}

/// Whether the judged values are of ranks: those of a candidate. A recording of one process has no others.
bool has_ranks(const RunOptions& options) {
  using Candidate = RunOptions::Candidate;
  return !options.layout.single() &&
         (options.candidate == Candidate::capture || options.candidate == Candidate::computed);
}

GoldenReport blank_report(const golden::Golden& golden, const RunOptions& options) {
  GoldenReport report;
  report.path = golden.folder().string();
  report.name = golden.name();
  report.oracle = golden.facts().oracle;
  report.system = golden.facts().system;
  report.profile = options.profile.empty() ? golden.facts().profile : options.profile;
  report.candidate = candidate_name(options);
  report.layout = layout_text(options.layout);
  report.policy = policy_of(options);
  report.notes = golden.warnings();
  if (const std::string known = assumed_release(report.system, report.profile); !known.empty())
    report.notes.push_back(fmt::format("release {} of the original package is not known: judged by the rules of {}",
                                       report.profile, known));
  if (!options.layout.single())
    report.notes.push_back(fmt::format("divided among {} ranks: {}", options.layout.ranks(), options.layout.text()));
  return report;
}

}  // namespace

GoldenReport run_golden(const golden::Golden& golden, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  GoldenReport report = blank_report(golden, options);
  const OpenedRun opened(golden, options);
  const CandidateFile& file = opened.file();
  report.sha256 = golden::sha256_of_file((file.file ? *file.file : golden.activations()).path());
  const Plan clean = opened.plan();
  Plan plan = clean;
  const Rewritten assumed = options.hypothesis ? options.hypothesis(plan, opened.weights()) : Rewritten{};
  const replay::Evaluator evaluator(assumed.registry ? *assumed.registry : reference::registry(), plan,
                                    assumed.weights ? *assumed.weights : opened.weights());
  const replay::Recording goldens(golden.activations(), plan);
  const replay::Recording recording = opened.recording(goldens, plan);
  const CandidateValues candidate(golden, options, clean, {goldens, recording});
  const MovedNote moved_note(candidate.computation.get());
  const replay::Execution* isolated = candidate.isolated ? &*candidate.isolated : nullptr;
  Session session{opened,    evaluator,
                  candidate, replay::build_spans(plan, candidate.sources(isolated, Mode::isolated)),
                  report,    replaced_components(clean, plan)};
  if (has_ranks(options)) session.ranks.emplace(evaluator, options.layout);
  for (const Mode mode : modes_of(options, golden.facts().dtype)) session.walk(mode);
  if (!candidate.computation) check_aliases(recording, candidate.values(), options.select, report);
  check_stale_copies(candidate.values(), report);
  add_isolated_errors(report.records);
  account(session, report);
  check_file(session, goldens);
  note_weights(evaluator.parameters(), report);
  if (file.file) note_capture(plan, recording, golden, report);
  if (candidate.computation) note_computation(*candidate.computation, clean, report);
  if (isolated != nullptr) session.moved += isolated->moved();
  moved_note.add(session.moved, report);
  for (const std::string& problem : golden.quantisation_problems()) report.notes.push_back(problem);
  const bool golden_inputs = candidate.computation || options.inputs == RunOptions::Inputs::golden;
  judge_coverage(plan, golden_inputs ? goldens : candidate.values(), report);
  conclude_golden(goldens, options, session.ranks, report);
  if (!options.save.empty()) candidate.save(golden, options);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace parity::compare

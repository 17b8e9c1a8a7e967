// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/golden_run.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include "compare/accounting.hpp"
#include "compare/alias_check.hpp"
#include "compare/capture_checks.hpp"
#include "compare/capture_facts.hpp"
#include "compare/coverage.hpp"
#include "compare/golden_plan.hpp"
#include "compare/own_weights.hpp"
#include "compare/verdict.hpp"
#include "core/text.hpp"
#include "golden/sha256.hpp"
#include "reference/reference.hpp"

namespace parity::compare {
namespace {

std::string candidate_name(const RunOptions& options) {
  switch (options.candidate) {
    case RunOptions::Candidate::golden:
      return "golden";
    case RunOptions::Candidate::reference:
      return "reference";
    case RunOptions::Candidate::capture:
      return "capture:" + options.capture.string();
    case RunOptions::Candidate::made:
      return options.made;
  }
  return "golden";
}

/// What a repro line must repeat of the run's options: without them it would judge something else.
std::string repro_options(const RunOptions& options) {
  std::string text;
  if (options.candidate != RunOptions::Candidate::golden)
    text += fmt::format(" --candidate '{}'", candidate_name(options));
  if (!options.profile.empty()) text += fmt::format(" --profile '{}'", options.profile);
  if (options.inputs == RunOptions::Inputs::golden) text += " --inputs golden";
  if (options.nothing) text += fmt::format(" --nothing={}", *options.nothing);
  return text;
}

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
  const golden::Golden& golden;
  const RunOptions& options;
  const replay::Evaluator& evaluator;
  const replay::Recording& recording;
  const replay::Sources sources;
  BlockOrder block_order;
  std::vector<replay::Span> spans;
  GoldenReport& report;
  Implementation implementation;
  std::set<std::string> rounds_freely;  // components of the candidate that need not round where the oracle does
  std::set<std::string> own;            // components that the candidate computes; empty: all
  std::set<std::string> own_taps;       // and taps
  std::map<std::string, std::string> stands_for;  // a hypothesis' component, and the one that it is in the place of
  int walks = 0;                                  // what no walk can use is a verdict of the first

  [[nodiscard]] JudgeOptions judge_options(Mode mode) const {
    JudgeOptions judge;
    judge.mode = mode;
    judge.backend = candidate_name(options);
    judge.reference_values = options.candidate == RunOptions::Candidate::reference;
    judge.select = options.select;
    judge.repro_prefix = fmt::format("parity repro '{}#", golden.folder().string());
    judge.repro_options = repro_options(options);
    judge.free_rounding = free_rounding(implementation);
    judge.free_rounding.insert(judge.free_rounding.end(), rounds_freely.begin(), rounds_freely.end());
    for (const auto& [assumed, component] : stands_for) {
      const auto& free = judge.free_rounding;
      if (std::find(free.begin(), free.end(), component) != free.end()) judge.free_rounding.push_back(assumed);
    }
    judge.progress = options.progress;
    judge.observe = options.observe;
    judge.own_decisions = static_cast<bool>(options.hypothesis);
    judge.block_order = block_order;
    return judge;
  }

  void walk(Mode mode) {
    JudgeVisitor visitor(evaluator, judge_options(mode));
    if (walks++ == 0) {
      for (const auto& [tap, mismatch] : recording.mismatches()) visitor.mismatched(tap, mismatch);
    }
    if (mode == Mode::isolated) {
      replay::walk_isolated(evaluator, sources, selected_spans(spans, options.select), visitor);
      report.largest_span_bytes = visitor.largest_span_bytes();
      report.largest_span = visitor.largest_span();
    } else {
      replay::walk_chained(evaluator, sources, visitor);
    }
    for (Record& record : visitor.take_records()) {
      const auto assumed = stands_for.find(record.component);
      const std::string& component = assumed == stands_for.end() ? record.component : assumed->second;
      if (!own.empty() && !own.contains(component) && !own_taps.contains(record.tap)) {
        record.status = Status::skipped;
        record.reason =
            fmt::format("{} has no kernel of {}; the reference computed it", options.made, record.component);
      }
      report.records.push_back(std::move(record));
    }
  }
};

/// Whose place the components of the rewritten plan take: edits change nodes, never their number.
std::map<std::string, std::string> replaced_components(const Plan& before, const Plan& after) {
  std::map<std::string, std::string> result;
  for (size_t i = 0; i < std::min(before.nodes.size(), after.nodes.size()); ++i) {
    if (before.nodes[i].component != after.nodes[i].component)
      result[after.nodes[i].component] = before.nodes[i].component;
  }
  return result;
}

std::vector<Mode> modes_of(const RunOptions& options, DType dtype) {
  if (options.mode) return {*options.mode};
  if (options.inputs == RunOptions::Inputs::golden) return {Mode::isolated};  // single kernels make no chain
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

/// Nobody says how block ids are meant: what is a recording of the oracle has its order, others may have any.
BlockOrder block_order_of(const golden::Declaration& declared, const RunOptions& options) {
  if (options.candidate != RunOptions::Candidate::capture || options.known_origin) return BlockOrder::list;
  if (declared.ids_order == golden::IdsOrder::unstated) return BlockOrder::either;
  return declared.ids_order == golden::IdsOrder::set ? BlockOrder::set : BlockOrder::list;
}

/// The candidate's file, when it has one of its own, and what it says.
struct CandidateFile {
  std::optional<golden::ActivationFile> file;
  MadeCapture made;
  golden::Declaration declared;
  Implementation implementation;
  std::unique_ptr<OwnWeights> weights;
};

CandidateFile open_candidate(const golden::Golden& golden, const RunOptions& options) {
  CandidateFile candidate;
  candidate.implementation = implementation_of(golden);
  if (options.candidate == RunOptions::Candidate::capture) candidate.made.activations = options.capture;
  if (options.candidate == RunOptions::Candidate::made) candidate.made = options.make(golden);
  if (candidate.made.activations.empty()) return candidate;
  candidate.file = golden::ActivationFile::open(candidate.made.activations);
  candidate.implementation = implementation_of(golden, *candidate.file);
  candidate.declared = golden::declaration_of(*candidate.file);
  if (!candidate.declared.nothing) candidate.declared.nothing = options.nothing;
  check_same_tokens(golden, *candidate.file, candidate.declared.calls);
  check_same_run(golden, *candidate.file);
  if (candidate.declared.own_weights)
    candidate.weights = std::make_unique<OwnWeights>(golden.parameters(), *candidate.file, golden.facts().dtype);
  return candidate;
}

/// What a file is judged by beyond its records; nothing of what was made here.
void check_file(const CandidateFile& candidate, const Session& session, const replay::Recording& goldens) {
  const RunOptions& options = session.options;
  GoldenReport& report = session.report;
  if (options.candidate != RunOptions::Candidate::capture || options.known_origin) return;
  const bool golden_inputs = options.inputs == RunOptions::Inputs::golden;
  report.capture = CaptureSummary{};
  report.capture->inputs = golden_inputs ? "golden" : "own";
  if (golden_inputs) report.notes.emplace_back("inputs: the golden's for every node (--inputs golden)");
  if (candidate.weights) report.capture->weights = candidate.weights->differences();
  const bool stated = states_origin(candidate.declared, implementation_of(session.golden), candidate.implementation);
  check_capture({goldens, session.recording, stated, options.select}, session.spans, report);
}

/// Coverage and verdict of all records.
void conclude_golden(const replay::Recording& goldens, const RunOptions& options, GoldenReport& report) {
  if (report.capture) recount_judged(report);
  count_coverage(goldens, report);
  check_required(options.required, report);
  report.verdict = worst_status(report.records);
  if (report.capture && report.verdict == Status::skipped) report.verdict = Status::not_recorded;  // nothing judged
  apply_not_shown(report);
  report.first_divergence = first_divergence(report.records);
}

GoldenReport blank_report(const golden::Golden& golden, const RunOptions& options) {
  GoldenReport report;
  report.path = golden.folder().string();
  report.name = golden.name();
  report.oracle = golden.facts().oracle;
  report.system = golden.facts().system;
  report.profile = options.profile.empty() ? golden.facts().profile : options.profile;
  report.candidate = candidate_name(options);
  report.notes = golden.warnings();
  return report;
}

}  // namespace

GoldenReport run_golden(const golden::Golden& golden, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  GoldenReport report = blank_report(golden, options);
  const CandidateFile candidate = open_candidate(golden, options);
  const golden::ActivationFile& file = candidate.file ? *candidate.file : golden.activations();
  report.sha256 = golden::sha256_of_file(file.path());
  Plan plan = plan_of(golden, options.profile, planned_attention(golden, candidate.implementation));
  const Plan clean = options.hypothesis ? plan : Plan{};
  const WeightSource& weights = candidate.weights ? *candidate.weights : golden.parameters();
  const Rewritten assumed = options.hypothesis ? options.hypothesis(plan, weights) : Rewritten{};
  const replay::Evaluator evaluator(assumed.registry ? *assumed.registry : reference::registry(), plan,
                                    assumed.weights ? *assumed.weights : weights);
  const replay::Recording goldens(golden.activations(), plan);
  const bool captured = options.candidate == RunOptions::Candidate::capture;
  const replay::Recording recording =
      captured ? replay::Recording(file, goldens, candidate.declared) : replay::Recording(file, plan);
  const bool golden_inputs = options.inputs == RunOptions::Inputs::golden;
  const replay::Sources sources(golden_inputs ? goldens : recording, recording);
  Session session{golden,
                  options,
                  evaluator,
                  recording,
                  sources,
                  block_order_of(candidate.declared, options),
                  replay::build_spans(plan, sources),
                  report,
                  candidate.implementation,
                  candidate.made.rounds_freely,
                  candidate.made.components,
                  candidate.made.taps,
                  replaced_components(clean, plan)};
  for (const Mode mode : modes_of(options, golden.facts().dtype)) session.walk(mode);
  check_aliases(plan, recording, options.select, report);
  add_isolated_errors(report.records);
  account_taps(plan, recording, session.spans, options.select, report);
  check_file(candidate, session, goldens);
  note_weights(evaluator.parameters(), report);
  if (candidate.file) note_capture(plan, recording, golden, candidate.made, report);
  for (const std::string& problem : golden.quantisation_problems()) report.notes.push_back(problem);
  judge_coverage(plan, golden_inputs ? goldens : recording, report);
  conclude_golden(goldens, options, report);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace parity::compare

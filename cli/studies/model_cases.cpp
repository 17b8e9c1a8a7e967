// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/studies/model_cases.hpp"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "cases/drawn/model_case.hpp"
#include "cases/reduce.hpp"
#include "cli/battery/spread.hpp"
#include "cli/gate/shards.hpp"
#include "cli/reports/document.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "compare/goldens/opened_run.hpp"
#include "core/sharding/sharded_plan.hpp"
#include "golden/files/temporary_folder.hpp"
#include "reference/reference.hpp"
#include "reports/files/files.hpp"
#include "reports/text/format.hpp"
#include "reports/text/record_text.hpp"

namespace parity::cli {
namespace {

using cases::CaseSpec;
using compare::GoldenReport;
using compare::Status;

/// Returns the spec of a case. Half of the cases are boundary cases; working types alternate. `drawn` seeds the sizes.
CaseSpec spec_of(const RunOptions& options, int64_t index, int64_t drawn) {
  const bool boundary = index < (options.cases + 1) / 2;
  return {options.synthetic.published,
          index % 2 == 0 ? DType::bf16 : DType::f32,
          boundary ? cases::Lane::boundary : cases::Lane::anywhere,
          cases::case_seed(cases::SeedUse::gate, options.synthetic.seed, drawn),
          {}};
}

/// How the golden of a case is made in `folder`.
SynthesizeOptions synthesis_of(const cases::ModelCase& drawn, const CaseSpec& spec, const RunOptions& options,
                               const golden::TemporaryFolder& folder) {
  SynthesizeOptions make;
  make.config = folder / "config.json";
  reports::write_text_atomically(make.config, drawn.config.dump(2));
  make.out = folder / "golden";
  make.profile = options.profile;
  make.dtype = to_string(spec.working);
  make.batch = drawn.batch;
  make.tokens = drawn.tokens;
  make.decode = drawn.decode;
  make.seed = spec.seed;
  make.quiet = true;
  return make;
}

/// Makes the golden of a case in a temporary folder and judges it. Returns nothing if the model has no node for the
/// candidate's fault, or cannot be divided among the ranks.
std::optional<GoldenReport> judged_case(const CaseSpec& spec, const RunOptions& options,
                                        const compare::RunOptions& judged) {
  const golden::TemporaryFolder folder;
  const SynthesizeOptions make = synthesis_of(cases::draw_model(spec), spec, options, folder);
  if (!has_place(make, options.candidate)) return std::nullopt;
  golden_synthesize(make);
  try {
    return compare::run_golden(golden::Golden::open(make.out), judged);
  } catch (const Error& error) {
    if (judged.layout.single() || error.code() != ErrorCode::unsupported) throw;
    return std::nullopt;
  }
}

bool fails(const GoldenReport& report) { return report.verdict == Status::fail || report.verdict == Status::error; }

/// Counts the taps that the candidate computed itself and that were judged.
int64_t judged_taps(const GoldenReport& report) {
  return std::count_if(report.records.begin(), report.records.end(),
                       [](const compare::Record& record) { return reports::is_judged(record.status); });
}

std::string repro_of(const CaseSpec& spec, const RunOptions& options) {
  return fmt::format("parity run --synthetic {} --case {}{}{}{}", spec.component, spec.text(),
                     compare::layout_options(options.layout),
                     options.candidate.empty() ? "" : " --candidate " + options.candidate,
                     options.profile.empty() ? "" : " --profile " + options.profile);
}

void print_failure(const CaseSpec& spec, const GoldenReport& report, const RunOptions& options) {
  for (compare::Record record : report.records) {
    if (!report.first_divergence || record.tap != report.first_divergence->tap) continue;
    record.repro = repro_of(spec, options);
    fmt::print("{}\n", reports::failing_text(record));
    return;
  }
  fmt::print("FAIL  {}\n     repro {}\n", reports::plain(report.reason), repro_of(spec, options));
}

/// Prints the smallest model in which the same component is the first to diverge.
void print_reduced(const CaseSpec& spec, const GoldenReport& report, const RunOptions& options,
                   const compare::RunOptions& judged, ProgressBar& bar) {
  bar.note("looking for a smaller model");
  const auto component = [](const GoldenReport& of) {
    return of.first_divergence ? of.first_divergence->component : std::string();
  };
  CaseSpec smallest = spec;
  smallest.given = cases::reduced(cases::draw_model(spec).drawn, [&](const AxisSizes& given) {
    CaseSpec smaller = spec;
    smaller.given = given;
    const auto again = judged_case(smaller, options, judged);
    return again && fails(*again) && component(*again) == component(report);
  });
  const cases::ModelCase drawn = cases::draw_model(smallest);
  for (auto& [letter, extent] : smallest.given) extent = drawn.drawn.at(letter);  // extents limit each other
  const auto failure = judged_case(smallest, options, judged);
  bar.pause();
  fmt::print("reduced {} to {}\n", spec.text(), drawn.text());
  print_failure(smallest, failure.value(), options);
}

int one_case(const RunOptions& options, const compare::RunOptions& judged) {
  const CaseSpec spec = cases::parse_case(options.only_case, {options.synthetic.published});
  PARITY_CHECK(spec.working != DType::f16, usage, "case {}: models are judged only in bf16 and f32; use one of these",
               spec.text());
  const cases::ModelCase model = cases::draw_model(spec);
  cases::require_given(spec, model.drawn, model.text());
  ProgressBar bar("judging " + model.text(), options.quiet);
  const auto report = judged_case(spec, options, judged);
  bar.pause();
  PARITY_CHECK(report.has_value(), usage, "the model of case {} has no node for --candidate {}; choose another case",
               spec.text(), options.candidate);
  fmt::print("{}\n", model.text());
  if (fails(*report)) print_failure(spec, *report, options);
  fmt::print("{}  case {}, {} taps judged\n", verdict_word(to_string(report->verdict)), spec.text(),
             judged_taps(*report));
  if (judged_taps(*report) == 0) return nothing_ran;
  return report->verdict == Status::pass ? holds : broken;
}

/// Models drawn for each one that is judged: a fault may need experts and several layers.
constexpr int64_t kMostDrawn = 16;

/// The cost of judging a case; nothing if the model has no node for the candidate's fault, or the ranks cannot divide it.
std::optional<double> cost_of(const CaseSpec& spec, const RunOptions& options) {
  const golden::TemporaryFolder folder;
  const SynthesizeOptions make = synthesis_of(cases::draw_model(spec), spec, options, folder);
  if (!has_place(make, options.candidate)) return std::nullopt;
  try {
    return cost_of_plan(sharded_plan(synthetic_plan(make), options.layout, reference::registry()));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return std::nullopt;
  }
}

/// The cases that this process takes of all cases of the run.
std::vector<CaseSpec> own_cases(const RunOptions& options) {
  const ShardNumber shard = parse_shard(options.shard);
  std::vector<CaseSpec> all;
  std::vector<double> costs;
  for (int64_t drawn = 0; static_cast<int64_t>(all.size()) < options.cases && drawn < kMostDrawn * options.cases;
       ++drawn) {
    const CaseSpec spec = spec_of(options, static_cast<int64_t>(all.size()), drawn);
    const auto cost = cost_of(spec, options);
    if (!cost) continue;
    all.push_back(spec);
    costs.push_back(*cost);
  }
  PARITY_CHECK(shard.of <= static_cast<int64_t>(all.size()), usage,
               "--shard {}: {} cases are too few for {} shards; use at most {} shards", options.shard, all.size(),
               shard.of, all.size());
  std::vector<CaseSpec> own;
  for (const size_t index : spread_costs(costs, shard.of).at(static_cast<size_t>(shard.index - 1)))
    own.push_back(all[index]);
  return own;
}

struct Tally {
  int64_t failed = 0, mistrusted = 0, taps = 0, cases = 0;
};

/// Judges a case and counts it. The first failing one is reduced.
void count_case(const CaseSpec& spec, const RunOptions& options, const compare::RunOptions& judged, ProgressBar& bar,
                Tally& tally) {
  const auto report = judged_case(spec, options, judged);
  if (!report) return;
  ++tally.cases;
  tally.taps += judged_taps(*report);
  tally.mistrusted += report->verdict == Status::mistrusted ? 1 : 0;
  if (fails(*report) && tally.failed++ == 0) print_reduced(spec, *report, options, judged, bar);
}

/// Judges the cases of the run, or of this process's part of it.
Tally judge_cases(const RunOptions& options, const compare::RunOptions& judged, ProgressBar& bar) {
  Tally tally;
  const auto show = [&](size_t of) { bar.update(static_cast<size_t>(tally.cases), of, ""); };
  if (!options.shard.empty()) {
    const std::vector<CaseSpec> own = own_cases(options);
    for (const CaseSpec& spec : own) show(own.size()), count_case(spec, options, judged, bar, tally);
    return tally;
  }
  for (int64_t drawn = 0; tally.cases < options.cases && drawn < kMostDrawn * options.cases; ++drawn) {
    show(static_cast<size_t>(options.cases));
    count_case(spec_of(options, tally.cases, drawn), options, judged, bar, tally);
  }
  return tally;
}

}  // namespace

int run_model_cases(const RunOptions& options, compare::RunOptions judged) {
  PARITY_CHECK(!wants_document(options.json) && options.junit.empty() && options.markdown.empty() && !options.taps &&
                   options.manifest.empty() && options.write_manifest.empty(),
               usage, "--cases and --case write no reports; remove --json, --junit, --markdown, --taps and --manifest");
  if (!judged.mode) judged.mode = compare::Mode::isolated;
  if (!options.only_case.empty()) return one_case(options, judged);
  ProgressBar bar("cases", options.quiet);
  const auto [failed, mistrusted, taps, cases] = judge_cases(options, judged, bar);
  bar.pause();
  PARITY_CHECK(cases > 0, usage,
               "none of {} random models of {} has a node for --candidate {}; choose another candidate",
               kMostDrawn * options.cases, options.synthetic.published, options.candidate);
  const bool proven = taps > 0 && mistrusted < cases;
  fmt::print("{}  {} of {} models of random sizes failed; {} taps judged; {} models too small to exercise everything\n",
             verdict_word(failed > 0 ? "FAIL"
                          : proven   ? "PASS"
                                     : "NOT SHOWN"),
             failed, cases, taps, mistrusted);
  if (taps == 0) return nothing_ran;
  return failed == 0 && proven ? holds : broken;
}

}  // namespace parity::cli

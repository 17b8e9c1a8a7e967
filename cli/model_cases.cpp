// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/model_cases.hpp"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "cases/drawn/model_case.hpp"
#include "cases/reduce.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "compare/opened_run.hpp"
#include "golden/temporary_folder.hpp"
#include "reports/files.hpp"
#include "reports/format.hpp"
#include "reports/record_text.hpp"

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

/// Makes the golden of a case in a temporary folder and judges it. Returns nothing if the model has no node for the
/// candidate's fault, or cannot be divided among the ranks.
std::optional<GoldenReport> judged_case(const CaseSpec& spec, const RunOptions& options,
                                        const compare::RunOptions& judged) {
  const golden::TemporaryFolder folder;
  const cases::ModelCase drawn = cases::draw_model(spec);
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
  PARITY_CHECK(spec.working != DType::f16, usage, "case {}: models are judged in bf16 and f32", spec.text());
  const cases::ModelCase model = cases::draw_model(spec);
  cases::require_given(spec, model.drawn, model.text());
  ProgressBar bar("judging " + model.text(), options.quiet);
  const auto report = judged_case(spec, options, judged);
  bar.pause();
  PARITY_CHECK(report.has_value(), usage, "case {} has no node for {}", spec.text(), options.candidate);
  fmt::print("{}\n", model.text());
  if (fails(*report)) print_failure(spec, *report, options);
  fmt::print("{}  case {}, {} taps judged\n", verdict_word(to_string(report->verdict)), spec.text(),
             judged_taps(*report));
  if (judged_taps(*report) == 0) return nothing_ran;
  return report->verdict == Status::pass ? holds : broken;
}

}  // namespace

int run_model_cases(const RunOptions& options, compare::RunOptions judged) {
  PARITY_CHECK(options.json.empty() && options.junit.empty() && options.markdown.empty() && !options.taps &&
                   options.manifest.empty() && options.write_manifest.empty(),
               usage, "--cases and --case write no reports; remove --json, --junit, --markdown, --taps and --manifest");
  if (!judged.mode) judged.mode = compare::Mode::isolated;
  if (!options.only_case.empty()) return one_case(options, judged);
  ProgressBar bar("cases", options.quiet);
  constexpr int64_t kMostDrawn =
      16;  // models drawn for each one that is judged: a fault may need experts and several layers
  int64_t failed = 0, mistrusted = 0, taps = 0, cases = 0;
  for (int64_t drawn = 0; cases < options.cases && drawn < kMostDrawn * options.cases; ++drawn) {
    bar.update(static_cast<size_t>(cases), static_cast<size_t>(options.cases), "");
    const CaseSpec spec = spec_of(options, cases, drawn);
    const auto report = judged_case(spec, options, judged);
    if (!report) continue;
    ++cases;
    taps += judged_taps(*report);
    mistrusted += report->verdict == Status::mistrusted ? 1 : 0;
    if (!fails(*report) || failed++ > 0) continue;
    print_reduced(spec, *report, options, judged, bar);
  }
  bar.pause();
  PARITY_CHECK(cases > 0, usage, "none of {} random models of {} has a node for {}", kMostDrawn * options.cases,
               options.synthetic.published, options.candidate);
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

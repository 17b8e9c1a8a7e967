// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "cli/runs/candidate.hpp"
#include "compare/values/divergent_values.hpp"
#include "faults/explaining/explain.hpp"
#include "faults/explaining/unnoticed.hpp"
#include "reports/text/summary.hpp"

namespace parity::cli {

void say_values(const std::string& golden, const compare::RunOptions& options, compare::GoldenReport& report) {
  if (!report.first_divergence) return;
  try {
    report.first_divergence->values = compare::divergent_values(golden::Golden::open(golden), options, report);
  } catch (const Error&) {  // the verdict stands although the values are not described
    report.first_divergence->values.reset();
  }
}

namespace {

/// Adds a description of the wrong values at each failing tap for which no cause was found.
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
  constexpr double kLeast = 30.0;  // seconds; the search may take as long as the run did, if that is longer
  if (!report.first_divergence || !report.first_divergence->explanation.empty()) return;
  const bool right = report.answer == compare::Answer::rounds_differently && report.policy == compare::Policy::bounds;
  if (right) return;  // the report lists each deviation with its explanation
  faults::ExplainSettings settings;
  settings.seconds = std::max(kLeast, report.seconds);
  const auto opened = golden::Golden::open(golden);
  const auto findings = faults::investigate(opened, options, report, settings);
  report.first_divergence->explanation =
      findings.text(report.first_divergence->tap, reports::values_text(report.first_divergence->values));
  report.causes = findings.causes();
  add_values(opened, options, report, findings, report.causes);
}

}  // namespace parity::cli

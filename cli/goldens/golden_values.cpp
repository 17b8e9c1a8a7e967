// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity golden values`: what the judge compares recorded taps with, as a file.
#include <exception>
#include <filesystem>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/terminal/progress.hpp"
#include "compare/goldens/golden_run.hpp"
#include "compare/judging/tolerance.hpp"
#include "core/text.hpp"
#include "golden/files/activation_writer.hpp"
#include "replay/spans/walk.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {
namespace {

/// Writes exact/<tap> and rounded/<tap> (binary64, or i64 for ids), and limit/<tap> of numbers: how far an element of a
/// candidate may be from the exact value.
void write_values(const replay::Finding& finding, const compare::Values* values, golden::ActivationWriter& out) {
  const replay::TapValue& value = finding.outcome->outputs.at(finding.field);
  const golden::TapLabels labels{finding.recorded.view().axes, "output", finding.outcome->node->component};
  out.write("exact/" + finding.tap, value.exact.view(), labels);
  out.write("rounded/" + finding.tap, value.rounded.view(), labels);
  if (values == nullptr) return;
  const compare::Tolerance tolerance(*values);
  Tensor limit(DType::f64, value.exact.shape(), value.exact.view().axes);
  for (int64_t i = 0; i < values->count; ++i) limit.f64()[i] = tolerance.at(i);
  out.write("limit/" + finding.tap, limit.view(), labels);
}

}  // namespace

int golden_values(const GoldenValuesOptions& options) {
  PARITY_CHECK(!std::filesystem::exists(options.out), usage, "{} exists; name another file", options.out);
  const auto golden = golden::Golden::open(options.golden);
  auto out = golden::ActivationWriter::create(options.out, {{"values", "yes"}, {"golden", golden.name()}});
  ProgressBar bar(golden.name(), options.quiet);
  compare::RunOptions judged;
  judged.mode = compare::Mode::isolated;
  judged.select = options.select;
  judged.progress = [&](size_t done, size_t total, const std::string& where) { bar.update(done, total, where); };
  int64_t taps = 0;
  std::exception_ptr failed;
  judged.observe = [&](const replay::Finding& finding, const compare::Values* values) {
    if (failed || !glob_match(options.select, finding.tap)) return;
    try {
      write_values(finding, values, out);
    } catch (const Error&) {  // the run would count it as an error of the tap
      failed = std::current_exception();
    }
    ++taps;
  };
  static_cast<void>(compare::run_golden(golden, judged));
  bar.pause();
  if (failed) std::rethrow_exception(failed);
  PARITY_CHECK(taps > 0, usage, "{}: no recorded output of a component matches '{}'; see parity golden ls",
               golden.name(), options.select);
  out.commit();
  fmt::print("{}: wrote the exact values, the rounded values and the tolerances of {} taps of {}\n",
             reports::plain(options.out), taps, reports::plain(golden.name()));
  return holds;
}

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/commands.hpp"
#include "cli/terminal/progress.hpp"
#include "compare/goldens/generation.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {
namespace {

void print(const std::string& file, const compare::GenerationReport& report) {
  if (report.recorded == 0) {
    for (const auto& sequence : report.tokens) fmt::print("{}\n", fmt::join(sequence, " "));
    return;
  }
  for (const compare::WrongToken& wrong : report.wrong) {
    fmt::print("FAIL {}: sequence {}, generated token {}: parity chose id {}, but {} chose id {}\n",
               reports::plain(file), wrong.sequence, wrong.token, wrong.generated, reports::plain(report.oracle),
               wrong.recorded);
  }
  fmt::print(
      "{}: {} of {} sequences of {} tokens equal those of {}; the smallest gap between the best two logits is {:.2g}\n",
      reports::plain(file), report.tokens.size() - report.wrong.size(), report.tokens.size(), report.recorded,
      reports::plain(report.oracle), report.smallest_lead);
}

}  // namespace

int generate(const GenerateOptions& options) {
  bool equal = true;
  for (const std::string& file : options.files) {
    ProgressBar bar("continuing " + reports::plain(file), options.quiet);
    const auto report = compare::run_generation(file);
    bar.pause();
    print(file, report);
    equal = equal && report.wrong.empty();
  }
  return equal ? holds : broken;
}

}  // namespace parity::cli

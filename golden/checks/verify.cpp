// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/checks/verify.hpp"

#include <optional>

#include "golden/checks/verify_parts.hpp"

namespace parity::golden {
namespace {

void verify_step(const StepInfo& step, const StepInfo* before, VerifyReport& report) {
  const std::string where = "steps/" + step.id;
  if (!step.has_tokens) return;
  const auto expect = [&](bool holds, const std::string& message) {
    if (!holds) report.add(Severity::error, where, message);
  };
  expect(step.kind != StepKind::decode || step.S == 1,
         fmt::format("kind is decode, but S (new tokens) is {}, not 1; record the golden again", step.S));
  expect(step.kind != StepKind::chunk || step.S > 1,
         "kind is chunk, but S (new tokens) is 1, as in a decode call; record the golden again");
  if (step.independent) return;  // its K does not follow from other calls
  const int64_t past = before == nullptr ? 0 : before->K;
  expect(step.K == past + step.S,
         fmt::format("K (cache slots) is {}, but {} earlier slots and {} new tokens make {}; record the golden again",
                     step.K, past, step.S, past + step.S));
  expect(before == nullptr || before->B == step.B,
         fmt::format("B (sequences) is {}, but {} in the call before; record the golden again", step.B,
                     before == nullptr ? 0 : before->B));
  expect(
      (before == nullptr) == (step.kind == StepKind::prefill),
      fmt::format("kind is {}; the first call must be the prefill, and no other call may be; record the golden again",
                  to_string(step.kind)));
}

/// Checks the weights. A golden of only the processors has a tokenizer instead of weights.
void verify_weights(const std::filesystem::path& checkpoint, bool obligatory, VerifyReport& report) {
  if (!obligatory && !has_weights(checkpoint)) return;
  collect(report, "checkpoint", [&] {
    const auto weights = SafetensorsSource::open(checkpoint);
    PARITY_CHECK(!weights.names().empty(), schema, "{}: contains no tensors; copy the checkpoint again",
                 checkpoint.string());
    for (const std::string& problem : DecodedSource(weights).problems())
      report.add(Severity::warning, "checkpoint", problem);
  });
}

}  // namespace

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::info:
      return "info";
  }
  return "unknown";
}

void VerifyReport::add(Severity severity, const std::string& where, const std::string& message) {
  findings.push_back({severity, where, message});
  ok = ok && severity != Severity::error;
}

void verify_steps(const std::vector<StepInfo>& steps, VerifyReport& report) {
  const StepInfo* before = nullptr;
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::string expected = fmt::format("{:03}", i);
    if (steps[i].id != expected) {
      report.add(Severity::error, "steps/" + expected,
                 fmt::format("this step is missing, although steps/{} exists; record the golden again", steps[i].id));
      return;  // after a gap the cache cannot be checked
    }
    verify_step(steps[i], before, report);
    if (steps[i].has_tokens || steps[i].kind == StepKind::cache) before = &steps[i];
  }
}

VerifyReport verify(const std::filesystem::path& path) {
  VerifyReport report;
  report.path = path;
  std::optional<ActivationFile> file;
  collect(report, "", [&] { file = ActivationFile::open(activations_of(path)); });
  if (!file) return report;
  const auto checkpoint = file->path().parent_path() / "checkpoint";
  std::vector<StepInfo> steps;
  collect(report, "", [&] { (void)read_facts(*file); });
  collect(report, "config", [&] {
    std::vector<std::string> warnings;
    (void)read_config(*file, checkpoint, warnings);
    for (const std::string& warning : warnings) report.add(Severity::warning, "config", warning);
  });
  collect(report, "steps", [&] {
    steps = read_steps(*file);
    verify_steps(steps, report);
  });
  verify_weights(checkpoint, file->groups().contains("steps"), report);
  verify_files(*file, report);
  verify_datasets(*file, steps, report);
  verify_links(*file, report);
  return report;
}

}  // namespace parity::golden

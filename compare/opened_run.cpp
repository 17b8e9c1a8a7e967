// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/opened_run.hpp"

#include <algorithm>

#include "compare/golden_plan.hpp"

namespace parity::compare {
namespace {

/// What a repro line must repeat of the run's options: without them it would judge something else.
std::string repro_options(const RunOptions& options) {
  std::string text;
  if (options.candidate != RunOptions::Candidate::golden)
    text += fmt::format(" --candidate '{}'", candidate_name(options));
  if (!options.profile.empty()) text += fmt::format(" --profile '{}'", options.profile);
  return text;
}

}  // namespace

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

/// Edits change nodes, never their number.
StandsFor replaced_components(const Plan& before, const Plan& after) {
  StandsFor result;
  for (size_t i = 0; i < std::min(before.nodes.size(), after.nodes.size()); ++i) {
    if (before.nodes[i].component != after.nodes[i].component)
      result[after.nodes[i].component] = before.nodes[i].component;
  }
  return result;
}

OpenedRun::OpenedRun(const golden::Golden& golden, const RunOptions& options)
    : golden_(golden), options_(options), implementation_(implementation_of(golden)) {
  if (options.candidate == RunOptions::Candidate::capture) made_.activations = options.capture;
  if (options.candidate == RunOptions::Candidate::made) made_ = options.make(golden);
  if (made_.activations.empty()) return;
  capture_ = golden::ActivationFile::open(made_.activations);
  implementation_ = implementation_of(golden, *capture_);
  check_same_tokens(golden, *capture_);
  check_same_run(golden, *capture_);
}

Plan OpenedRun::plan(const std::string& profile) const {
  return plan_of(golden_, profile.empty() ? options_.profile : profile, planned_attention(golden_, implementation_));
}

JudgeOptions OpenedRun::judge_options(Mode mode, const StandsFor& stands_for) const {
  JudgeOptions judge;
  judge.mode = mode;
  judge.backend = candidate_name(options_);
  judge.reference_values = options_.candidate == RunOptions::Candidate::reference;
  judge.select = options_.select;
  judge.repro_prefix = fmt::format("parity repro '{}#", golden_.folder().string());
  judge.repro_options = repro_options(options_);
  judge.free_rounding = free_rounding(implementation_);
  judge.free_rounding.insert(judge.free_rounding.end(), made_.rounds_freely.begin(), made_.rounds_freely.end());
  for (const auto& [assumed, component] : stands_for) {
    const auto& free = judge.free_rounding;
    if (std::find(free.begin(), free.end(), component) != free.end()) judge.free_rounding.push_back(assumed);
  }
  judge.progress = options_.progress;
  judge.observe = options_.observe;
  return judge;
}

bool OpenedRun::is_own(const Record& record, const StandsFor& stands_for) const {
  const auto assumed = stands_for.find(record.component);
  const std::string& component = assumed == stands_for.end() ? record.component : assumed->second;
  return made_.components.empty() || made_.components.contains(component) || made_.taps.contains(record.tap);
}

}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/goldens/opened_run.hpp"

#include <algorithm>

#include "core/sharding/sharded_plan.hpp"
#include "core/shell.hpp"
#include "reference/reference.hpp"
#include "replay/captures/golden_plan.hpp"

namespace parity::compare {
namespace {

/// Returns the options that a repro line must repeat, so that the command judges the same values.
std::string repro_options(const RunOptions& options) {
  std::string text;
  if (options.candidate != RunOptions::Candidate::golden)
    text += " --candidate " + shell_quoted(candidate_name(options));
  if (!options.profile.empty()) text += " --profile " + shell_quoted(options.profile);
  text += layout_options(options.layout);
  if (options.policy) text += fmt::format(" --policy {}", to_string(*options.policy));
  if (options.inputs == RunOptions::Inputs::golden) text += " --inputs golden";
  if (options.nothing) text += fmt::format(" --nothing={}", *options.nothing);
  return text;
}

}  // namespace

std::string layout_options(const Layout& layout) {
  std::string text;
  for (const auto& [name, ranks] : layout.dimensions()) {
    if (ranks > 1) text += fmt::format(" --{} {}", name, ranks);
  }
  if (layout.dispatches()) text += " --dispatch " + layout.dispatch;
  return layout.rules.empty() ? text : text + " --rules " + shell_quoted(layout.rules);
}

std::string candidate_name(const RunOptions& options) {
  switch (options.candidate) {
    case RunOptions::Candidate::golden:
      return "golden";
    case RunOptions::Candidate::reference:
      return "reference";
    case RunOptions::Candidate::capture:
      return "capture:" + options.capture.string();
    case RunOptions::Candidate::computed:
      return options.computed;
  }
  return "golden";
}

Policy policy_of(const RunOptions& options) {
  using Candidate = RunOptions::Candidate;
  if (options.policy) return *options.policy;
  const bool faulty_reference = options.candidate == Candidate::computed && options.computed.starts_with("fault:");
  // A recording of one process has sums that ranks would round in parts.
  const bool same_sums = options.candidate == Candidate::golden && options.layout.single();
  const bool oracle = same_sums || options.candidate == Candidate::reference;
  return oracle || faulty_reference ? Policy::bits : Policy::bounds;
}

/// Returns the components that an edit replaced. An edit never changes the number of nodes.
StandsFor replaced_components(const Plan& before, const Plan& after) {
  StandsFor result;
  for (size_t i = 0; i < std::min(before.nodes.size(), after.nodes.size()); ++i) {
    if (before.nodes[i].component != after.nodes[i].component)
      result[after.nodes[i].component] = before.nodes[i].component;
  }
  return result;
}

OpenedRun::OpenedRun(const golden::Golden& golden, const RunOptions& options)
    : golden_(golden), options_(options), file_(open_candidate(golden, options)) {}

Plan OpenedRun::plan(const std::string& profile) const {
  const Plan single = replay::plan_of(golden_, profile.empty() ? options_.profile : profile,
                                      planned_attention(golden_, file_.implementation));
  return sharded_plan(single, options_.layout, reference::registry());
}

replay::Recording OpenedRun::recording(const replay::Recording& goldens, const Plan& plan) const {
  return file_.file ? replay::Recording(*file_.file, goldens, file_.declared) : replay::Recording(goldens.file(), plan);
}

JudgeOptions OpenedRun::judge_options(Mode mode, const StandsFor& stands_for) const {
  JudgeOptions judge;
  judge.mode = mode;
  judge.backend = candidate_name(options_);
  judge.policy = policy_of(options_);
  judge.reference_values = options_.candidate == RunOptions::Candidate::reference;
  judge.select = options_.select;
  judge.repro_prefix = "parity repro " + shell_quoted(golden_.folder().string() + "#");
  judge.repro_prefix.pop_back();  // removes the closing quote, because a tap follows
  judge.repro_options = repro_options(options_);
  judge.free_rounding = free_rounding(file_.implementation);
  for (const auto& [assumed, component] : stands_for) {
    const auto& free = judge.free_rounding;
    if (std::find(free.begin(), free.end(), component) != free.end()) judge.free_rounding.push_back(assumed);
  }
  judge.progress = options_.progress;
  judge.observe = options_.observe;
  judge.pictures = options_.pictures;
  judge.block_order = block_order_of(file_.declared, options_, judge.policy);
  judge.stated = file_.implementation.stated;
  return judge;
}

}  // namespace parity::compare

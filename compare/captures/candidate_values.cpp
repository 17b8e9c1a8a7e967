// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/candidate_values.hpp"

#include <algorithm>

#include "compare/captures/exchange.hpp"
#include "core/sharding/rank_names.hpp"
#include "reference/reference.hpp"
#include "replay/captures/capture_writer.hpp"

namespace parity::compare {
namespace {

using Walk = replay::Execution::Mode;

/// Returns a shared pointer to an object that it does not own.
template <class Owned>
std::shared_ptr<const Owned> borrowed(const Owned& object) {
  return {&object, [](const Owned*) {}};
}

replay::Computation reference_of(const golden::Golden& golden, const Plan& plan) {
  replay::Computation computation;
  computation.name = "reference";
  computation.plan = plan;
  computation.registry = borrowed(reference::registry());
  computation.weights = borrowed(golden.parameters());
  return computation;
}

/// Returns the rounding that a backend states for the plan's components, in the notation of captures.
std::string stated_rounding(const replay::Computation& computed, const Plan& plan) {
  std::string stated;
  for (const std::string& component : computed.kernels.rounds_freely) {
    const auto is = [&](const Node& node) { return node.component == component; };
    if (std::any_of(plan.nodes.begin(), plan.nodes.end(), is))
      stated += (stated.empty() ? "" : " ") + component + "=own";
  }
  return stated;
}

}  // namespace

CandidateValues::CandidateValues(const golden::Golden& of, const RunOptions& options, const Plan& plan,
                                 const Recordings& recordings)
    : golden(recordings.golden),
      recording(recordings.judged),
      plan_(plan),
      ranks_([&options, &of](replay::RankedWalk walk) {
        walk.wrap = options.wrap;
        return options.ranks ? options.ranks(walk, of, options) : replay::walk_ranks(walk, replay::kPatience);
      }),
      wrap_(options.wrap),
      golden_inputs_(options.inputs == RunOptions::Inputs::golden) {
  if (!options.changed.empty()) overlay.emplace(recording.plan(), &recording, options.changed);
  if (options.candidate != RunOptions::Candidate::computed) return;
  replay::Computation made = options.compute(of, plan, recording);
  made.residents = std::make_shared<replay::Residents>();
  computation = std::make_shared<const replay::Computation>(std::move(made));
  inner = computation->inner();
  if (!computation->lacking.empty()) return;
  if (!options.layout.single()) between_ranks = taps_between_ranks(recording.plan());
  isolated.emplace(computation, recording, Walk::isolated, wanted());
  if (!between_ranks.empty()) with_terms.emplace(recording, *isolated, between_ranks);
}

replay::Execution::Wanted CandidateValues::wanted() const {
  return [this](const std::string& tap) {
    const bool held = recording.has(tap) || between_ranks.contains(tap);
    return held && (!computation || computation->only.empty() || computation->only.contains(tap));
  };
}

const replay::TapSource& CandidateValues::values() const {
  if (isolated) return *isolated;
  return overlay ? static_cast<const replay::TapSource&>(*overlay) : recording;
}

replay::Execution CandidateValues::executed(Mode mode) const {
  return {computation, recording, mode == Mode::forced ? Walk::forced : Walk::chained, wanted(), ranks_};
}

replay::RankResults CandidateValues::walk_rank(bool forced, ranks::Communicator& communicator) const {
  PARITY_CHECK(computation != nullptr, internal, "{} computes nothing", recording.plan().system);
  const auto kept = [&](const std::string& tap) { return plan_.tap(tap).producer >= 0 && wanted()(tap); };
  return replay::walk_rank({*computation, recording, kept, forced, wrap_}, communicator);
}

replay::Sources CandidateValues::sources(const replay::Execution* execution, Mode mode) const {
  if (execution == nullptr && golden_inputs_) return {golden, values()};
  if (execution == nullptr) return values();
  const replay::TapSource& decisions =
      mode == Mode::forced ? static_cast<const replay::TapSource&>(recording) : *execution;
  const replay::TapSource& inputs =
      mode == Mode::isolated && with_terms ? static_cast<const replay::TapSource&>(*with_terms) : recording;
  replay::Sources sources(inputs, *execution, decisions);
  sources.fused = computation->fused_nodes();
  return sources;
}

void CandidateValues::save(const golden::Golden& of, const RunOptions& options) const {
  const bool reference = options.candidate == RunOptions::Candidate::reference;
  if (!computation && !reference) return replay::write_copy(of, values(), options.save);
  const auto computed = reference ? std::make_shared<const replay::Computation>(reference_of(of, plan_)) : computation;
  PARITY_CHECK(computed->lacking.empty(), unsupported, "{}", computed->lacking);
  const replay::Execution run(computed, recording, Walk::chained, wanted(), ranks_);
  const auto own = [&](const std::string& tap) { return run.own(tap); };
  replay::write_capture(
      of, plan_, {run, own, reference ? "oracle" : stated_rounding(*computed, plan_), layout_text(options.layout)},
      options.save);
}

}  // namespace parity::compare

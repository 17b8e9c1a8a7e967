// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/candidate.hpp"

#include <cstring>

#include "reference/reference.hpp"
#include "replay/lifetimes.hpp"
#include "replay/walk.hpp"

namespace parity::faults {
namespace {

bool same_values(const Tensor& a, const Tensor& b) {
  return a.bytes() == b.bytes() && std::memcmp(a.view().data, b.view().data, static_cast<size_t>(a.bytes())) == 0;
}

Tensor stored(const Plan& plan, const std::string& tap, const replay::TapValue& value) {
  return convert(value.rounded.view(), plan.dtype_of(plan.tap(tap).type));
}

/// A recording may hold once what is the same for all sequences.
Tensor shaped_as(const Tensor& value, const Shape& shape) {
  if (value.shape() == shape) return value;
  if (value.view().count() == element_count(shape)) return value.reshaped(shape, value.view().axes);
  if (value.view().axes.find('B') == std::string::npos) return value;
  return convert(slice(value.view(), 'B', 0, 1), value.dtype());
}

/// The plan on its own values; nothing is freed, since the right nodes are run on them afterwards.
replay::Environment walked(const replay::Evaluator& evaluator, const replay::Recording& golden) {
  const auto wanted = [&](const std::string& tap) { return golden.has(tap); };
  replay::Environment taps;
  for (const Node& node : evaluator.plan().nodes) {
    replay::read_inputs(evaluator.plan(), golden, node, taps);
    if (replay::take_recorded(evaluator, golden, node, taps)) continue;
    replay::Outcome outcome = evaluator.run(node, taps, wanted, replay::Evaluator::Lanes::rounded);
    replay::keep_outputs(outcome, taps);
  }
  return taps;
}

/// Outputs of the right node on the candidate's own inputs that are not what the candidate has.
void compare_node(const replay::Evaluator& right, const Node& node, const replay::Environment& taps,
                  std::set<std::string>& changed) {
  const auto present = [&](const std::string& tap) { return taps.contains(tap); };
  const replay::Outcome outcome = right.run(node, taps, present, replay::Evaluator::Lanes::rounded);
  for (const auto& [field, value] : outcome.outputs) {
    const std::string& tap = node.outputs.at(field).name;
    const auto& theirs = taps.at(tap);
    if (!same_values(stored(right.plan(), tap, value), stored(right.plan(), tap, theirs))) changed.insert(tap);
  }
}

}  // namespace

Candidate candidate_of(const Edited& edited, const Plan& clean, const WeightSource& weights,
                       const replay::Recording& golden) {
  const EditedWeights misread(weights, edited.weights);
  const replay::Evaluator evaluator(*edited.registry, edited.plan, misread);
  const replay::Evaluator right(reference::registry(), clean, weights);
  const replay::Environment taps = walked(evaluator, golden);
  Candidate candidate;
  for (const auto& [tap, value] : taps) {
    const auto info = clean.taps.find(tap);
    if (info == clean.taps.end() || info->second.producer < 0 || !golden.has(tap)) continue;
    if (info->second.type == TapType::text) continue;  // texts are written by the golden itself
    const std::string& dataset = golden.dataset(tap);
    candidate.datasets[dataset] = shaped_as(stored(clean, tap, value), golden.file().at(dataset).shape);
  }
  const std::set<std::string> places(edited.places.begin(), edited.places.end());
  for (const Node& node : clean.nodes) {
    if (places.contains(node.prefix)) compare_node(right, node, taps, candidate.changed);
  }
  return candidate;
}

}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/candidate.hpp"

#include <algorithm>
#include <cstring>

#include "reference/reference.hpp"
#include "replay/lifetimes.hpp"

namespace parity::faults {
namespace {

replay::TapValue recorded(const replay::Recording& golden, const std::string& tap) {
  const Tensor value = widen(golden.read(tap));
  return {value, value, {}, {}};
}

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

/// One plan on its own values; nothing is freed, since the right nodes are run on them afterwards.
class Walk {
 public:
  Walk(const replay::Evaluator& evaluator, const replay::Recording& golden) : evaluator_(evaluator), golden_(golden) {}

  [[nodiscard]] replay::Environment run() {
    for (const Node& node : evaluator_.plan().nodes) {
      read_inputs(node);
      if (evaluator_.single_in_binary64(node) && take_recorded(node)) continue;
      replay::Outcome outcome = evaluator_.run(
          node, taps_, [&](const std::string& tap) { return golden_.has(tap); }, replay::Evaluator::Lanes::rounded);
      replay::keep_outputs(outcome, taps_);
    }
    return std::move(taps_);
  }

 private:
  void read_inputs(const Node& node) {
    for (const auto& [field, list] : node.inputs) {
      for (const Operand& operand : list) {
        if (operand.kind != Operand::Kind::tap || taps_.contains(operand.name)) continue;
        if (evaluator_.plan().tap(operand.name).producer < 0) taps_[operand.name] = recorded(golden_, operand.name);
      }
    }
  }

  /// Rotary tables of a binary64 recording are binary32 there.
  bool take_recorded(const Node& node) {
    for (const auto& [field, output] : node.outputs) {
      if (!golden_.has(output.name)) return false;
    }
    for (const auto& [field, output] : node.outputs) taps_[output.name] = recorded(golden_, output.name);
    return true;
  }

  const replay::Evaluator& evaluator_;
  const replay::Recording& golden_;
  replay::Environment taps_;
};

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
  const replay::Evaluator evaluator(edited.registry ? *edited.registry : registry(), edited.plan, misread);
  const replay::Evaluator right(reference::registry(), clean, weights);
  const replay::Environment taps = Walk(evaluator, golden).run();
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

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/runs/variation.hpp"

#include <optional>

#include "replay/spans/walk.hpp"

namespace parity::replay {
namespace {

/// Returns the exact result of the node that makes `tap`, as in a kernel that never stores it. Returns nullopt if the
/// node decides, or if its inputs are not available.
std::optional<TapValue> unrounded(const Evaluator& evaluator, const TapSource& inputs, const std::string& tap,
                                  int depth) {
  const Plan& plan = evaluator.plan();
  const TapInfo& info = plan.tap(tap);
  if (info.producer < 0 || info.type != TapType::working) return std::nullopt;
  const Node& producer = plan.nodes[static_cast<size_t>(info.producer)];
  Environment taps;
  for (const auto& [field, list] : producer.inputs) {
    for (const Operand& operand : list) {
      if (operand.kind != Operand::Kind::tap) continue;
      const auto deeper = depth > 1 ? unrounded(evaluator, inputs, operand.name, depth - 1) : std::nullopt;
      if (!deeper && !inputs.available(operand.name)) return std::nullopt;
      taps[operand.name] = deeper ? *deeper : recorded_value(inputs, operand.name);
    }
  }
  const Outcome made = evaluator.run(producer, taps, [&](const std::string& wanted) { return wanted == tap; });
  if (!made.own.empty()) return std::nullopt;
  for (const auto& [field, value] : made.outputs) {
    if (producer.outputs.at(field).name == tap) return TapValue{value.exact, value.exact, {}, {}};
  }
  return std::nullopt;
}

bool is_wanted(const Outcome& outcome, const std::string& tap) {
  for (const auto& [field, value] : outcome.outputs) {
    if (outcome.node->outputs.at(field).name == tap) return true;
  }
  return false;
}

}  // namespace

bool rounds_weights(const Evaluator& evaluator, const Node& node, int depth) {
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      if (operand.kind != Operand::Kind::tap) {
        if (evaluator.parameters().rounds(operand.name)) return true;
        continue;
      }
      const int producer = evaluator.plan().tap(operand.name).producer;
      if (depth > 0 && producer >= 0 &&
          rounds_weights(evaluator, evaluator.plan().nodes[static_cast<size_t>(producer)], depth - 1))
        return true;
    }
  }
  return false;
}

std::unique_ptr<Varied> varied(const Evaluator& evaluator, const TapSource& inputs, const Environment& taps,
                               const Outcome& outcome, const Variation& variation) {
  auto result = std::make_unique<Varied>(Varied{*outcome.node, taps, {}});
  const Evaluator held = variation.published ? evaluator.with_published_weights() : evaluator;
  for (const std::string& point : variation.widened)
    result->node.rounding[result->node.component + "." + point] = Precision::single;
  if (!variation.unrounded.empty()) {
    const auto field = result->node.inputs.find(variation.unrounded);
    if (field == result->node.inputs.end() || field->second.size() != 1 ||
        field->second.front().kind != Operand::Kind::tap)
      return nullptr;
    const std::string& tap = field->second.front().name;
    const auto value = unrounded(held, inputs, tap, variation.depth);
    if (!value) return nullptr;
    result->taps[tap] = *value;
  }
  const Evaluator other = held.with_functions(variation.function_ulps);
  result->outcome =
      other.run(result->node, result->taps, [&](const std::string& tap) { return is_wanted(outcome, tap); });
  for (const auto& [field, own] : outcome.own)
    other.force(result->outcome, field, outcome.outputs.at(field).exact, result->taps);
  return result;
}

}  // namespace parity::replay

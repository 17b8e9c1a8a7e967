// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/runs/evaluator.hpp"

#include <algorithm>
#include <memory>

#include "core/call.hpp"
#include "core/text.hpp"
#include "replay/execution/operands.hpp"

namespace parity::replay {

struct Evaluator::Operands {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::unique_ptr<WeightBank>> banks;
  std::vector<Tensor> copies;  // of taps whose axes no view can represent
};

namespace {

const TapValue& value_of(const Environment& taps, const std::string& tap, const Node& node) {
  const auto found = taps.find(tap);
  PARITY_CHECK(found != taps.end(), schema,
               "tap {}, which {} reads, is neither recorded nor computed; record it, or name another profile", tap,
               node.prefix);
  return found->second;
}

/// A misspelt row of a profile would change nothing.
void require_points(const RoundingTable& table, const Definition& definition) {
  const std::string prefix = definition.name + ".";
  for (auto row = table.lower_bound(prefix); row != table.end() && row->first.starts_with(prefix); ++row) {
    const std::string point = row->first.substr(prefix.size());
    if (definition.points.contains(point)) continue;
    std::vector<std::string> known;
    for (const auto& [name, precision] : definition.points) known.push_back(name);
    throw Error(ErrorCode::schema, fmt::format("component {} has no rounding point '{}'{}; correct the profile",
                                               definition.name, point, did_you_mean(point, known)));
  }
}

}  // namespace

int64_t TapValue::bytes() const {
  const bool shared = rounded.view().data == exact.view().data;
  return exact.bytes() + (shared ? 0 : rounded.bytes()) + rounding.bytes() + noise.bytes();
}

bool Evaluator::single_in_binary64(const Node& node) const {
  if (plan_.working != DType::f64) return false;
  const auto& points = registry_.component(node.component).points;
  return std::any_of(points.begin(), points.end(), [](const auto& p) { return p.second == Precision::binary32; });
}

void Evaluator::load(const Node& node, Operands& operands) const {
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      if (operand.kind == Operand::Kind::weight) operands.tensors[operand.name] = parameters_.tensor(operand.name);
      if (operand.kind == Operand::Kind::bank) operands.banks[operand.name] = parameters_.bank(operand.name);
    }
  }
}

void Evaluator::give_inputs(KernelCall& call, const Node& node, const Environment& taps, Lane lane, Operands& operands,
                            const Tensor* forced) const {
  const AxisSizes sizes = plan_.sizes_of(node);
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      if (operand.kind == Operand::Kind::bank) {
        call.bank(field, *operands.banks.at(operand.name));
      } else if (operand.kind == Operand::Kind::weight) {
        call.input(field, operands.tensors.at(operand.name).view());
      } else {
        const TapValue& value = value_of(taps, operand.name, node);
        const TensorView& view = (lane == Lane::exact ? value.exact : value.rounded).view();
        call.input(field, read_under(view, operand.axes, sizes, operands.copies));
      }
    }
  }
  if (forced != nullptr) call.input("forced", forced->view());
}

/// Returns the type in which an operand of the plan is stored.
DType Evaluator::held_type(const Operand& operand) const {
  if (operand.kind == Operand::Kind::tap) return plan_.dtype_of(plan_.tap(operand.name).type);
  switch (plan_.weights.at(operand.name).held) {
    case Held::working:
      return plan_.working;
    case Held::single:
      return plan_.working == DType::f64 ? DType::f64 : DType::f32;
    case Held::stored:
      return parameters_.stored_type(operand.name);
  }
  return plan_.working;
}

void Evaluator::prepare(KernelCall& call, const Node& node, Lane lane) const {
  const Definition& definition = *call.definition;
  require_points(plan_.rounding, definition);
  RoundingTable table = node.rounding;
  table.insert(plan_.rounding.begin(), plan_.rounding.end());
  const Rounding rounding =
      lane == Lane::exact ? Rounding::exact(plan_.working, table) : Rounding::oracle(plan_.working, table);
  call.rounding = rounding.with_functions(function_ulps_);
  call.params = node.params;
  call.input_types.assign(definition.inputs.size(), plan_.working);
  call.output_types.assign(definition.outputs.size(), plan_.working);
  for (const auto& [field, list] : node.inputs)
    call.input_types[static_cast<size_t>(definition.input_index(field))] = held_type(list.front());
  for (const auto& [field, operand] : node.outputs)
    call.output_types[static_cast<size_t>(definition.output_index(field))] = held_type(operand);
}

KernelCall Evaluator::call_of(const Node& node, const Definition& definition) const {
  KernelCall call(definition);
  prepare(call, node, Lane::rounded);
  return call;
}

void Evaluator::run_lane(Outcome& outcome, const Environment& taps, Lane lane, Operands& operands,
                         const Tensor* forced) const {
  const Node& node = *outcome.node;
  const bool exact = lane == Lane::exact;
  KernelCall call(*outcome.definition);
  prepare(call, node, lane);
  give_inputs(call, node, taps, lane, operands, forced);
  call.bounded = exact;
  for (const auto& [field, value] : outcome.outputs) {
    const Operand& target = node.outputs.at(field);
    const TapInfo& info = plan_.tap(target.name);
    const DType type = is_integer(info.type) ? DType::i64 : DType::f64;
    call.output(field, {type, info.shape, info.axes, target.axes, plan_.sizes_of(node)});
  }
  const PlacedCall placed(call);
  placed.poison(Poison::nan);
  placed.run(registry_.kernel(node.component, "reference", exact ? "bounded" : "rounded").run);
  placed.require_guards();
  for (auto& [field, value] : outcome.outputs) {
    (exact ? value.exact : value.rounded) = placed.output(field);
    if (const PlacedCall::Bounds* bounds = placed.bounds(field); bounds != nullptr) {
      value.rounding = bounds->rounding;
      value.noise = bounds->noise;
    }
  }
}

void Evaluator::run_lanes(Outcome& outcome, const Environment& taps, const Tensor* forced, Lanes lanes) const {
  Operands operands;
  load(*outcome.node, operands);
  for (const auto& [name, tensor] : operands.tensors) outcome.parameter_bytes += 2 * tensor.bytes();
  for (const auto& [name, bank] : operands.banks) {
    outcome.parameter_bytes += 2 * element_count(plan_.weights.at(name).shape) * size_of(DType::f64);
  }
  if (lanes == Lanes::both) run_lane(outcome, taps, Lane::exact, operands, forced);
  run_lane(outcome, taps, Lane::rounded, operands, forced);
  if (lanes == Lanes::both) return;
  for (auto& [field, value] : outcome.outputs) value.exact = value.rounded;
}

int64_t Outcome::output_bytes() const {
  int64_t total = 0;
  for (const auto& [field, value] : outputs) total += value.bytes();
  return total;
}

Outcome Evaluator::run(const Node& node, const Environment& taps, const std::function<bool(const std::string&)>& wanted,
                       Lanes lanes) const {
  Outcome outcome;
  outcome.node = &node;
  outcome.definition = &registry_.component(node.component);
  for (const FieldInfo& field : outcome.definition->outputs) {
    const auto output = node.outputs.find(field.name);
    if (output != node.outputs.end() && (!field.optional || wanted(output->second.name))) outcome.outputs[field.name];
  }
  for (const auto& [field, list] : node.inputs) {
    if (list.size() == 1 && list.front().kind == Operand::Kind::tap)
      outcome.inputs[field] = &value_of(taps, list.front().name, node);
  }
  with_context(node.prefix + " (" + node.component + ")", [&] { run_lanes(outcome, taps, nullptr, lanes); });
  for (const auto& [field, value] : outcome.outputs) {
    const auto index = static_cast<size_t>(outcome.definition->output_index(field));
    if (is_discrete(outcome.definition->outputs[index].judge)) outcome.own[field] = value.exact;
  }
  return outcome;
}

void Evaluator::force(Outcome& outcome, const std::string& field, const Tensor& decision,
                      const Environment& taps) const {
  const auto& fields = outcome.definition->inputs;
  const bool dependent =
      std::any_of(fields.begin(), fields.end(), [](const FieldInfo& f) { return f.name == "forced"; });
  if (dependent) run_lanes(outcome, taps, &decision, Lanes::both);
  outcome.outputs.at(field).exact = decision;
  outcome.outputs.at(field).rounded = decision;
}

}  // namespace parity::replay

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/execution/node_runner.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace parity::replay {
namespace {

/// A source reads a file, and ranks on several threads share it.
std::mutex& reading() {
  static std::mutex mutex;
  return mutex;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.bytes() == b.bytes() && std::memcmp(a.view().data, b.view().data, static_cast<size_t>(a.bytes())) == 0;
}

bool takes_decisions(const Definition& definition) {
  return std::any_of(definition.inputs.begin(), definition.inputs.end(),
                     [](const FieldInfo& field) { return field.name == "forced"; });
}

}  // namespace

NodeRunner::NodeRunner(const Computation& computation, const TapSource& source, Wanted wanted)
    : computation_(computation),
      source_(source),
      wanted_(std::move(wanted)),
      evaluator_(*computation.registry, computation.plan, *computation.weights),
      residents_(computation.residents ? computation.residents : std::make_shared<Residents>()),
      native_(evaluator_, residents_) {}

Moved NodeRunner::moved() const {
  Moved all = moved_;
  if (!computation_.residents) all += residents_->moved();
  return all;
}

bool NodeRunner::recorded(const std::string& tap) const {
  const std::scoped_lock lock(reading());
  return source_.has(tap);
}

Tensor NodeRunner::read(const std::string& tap) const {
  const std::scoped_lock lock(reading());
  return held_value(computation_.plan, tap, source_.read(tap));
}

Values NodeRunner::run(const Node& node, const Values& taps, const Tensor* forced) {
  const KernelTable::Entry* kernel = computation_.kernel_of(node);
  if (kernel == nullptr || refused_.contains(Computation::key_of(node))) return run_by_reference(node, taps, forced);
  try {
    return native_.run(node, *kernel, taps, wanted_, forced, moved_);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    refused_[Computation::key_of(node)] = error.what();
  }
  return run_by_reference(node, taps, forced);
}

Values NodeRunner::run_by_reference(const Node& node, const Values& taps, const Tensor* forced) const {
  if (Values values = taken(node); !values.empty()) return values;
  Environment wide;
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      const auto value = operand.kind == Operand::Kind::tap ? taps.find(operand.name) : taps.end();
      if (value == taps.end()) continue;
      const Tensor widened = widen(on_host(value->second));
      wide[operand.name] = {widened, widened, {}, {}};
    }
  }
  Outcome outcome = evaluator_.run(node, wide, wanted_, Evaluator::Lanes::rounded);
  for (const auto& [field, own] : std::map<std::string, Tensor>(outcome.own)) {
    if (forced != nullptr) evaluator_.force(outcome, field, *forced, wide);
  }
  Values values;
  for (const auto& [field, value] : outcome.outputs) {
    const std::string& tap = node.outputs.at(field).name;
    values[tap] = held_value(computation_.plan, tap, value.rounded);
  }
  return values;
}

Values NodeRunner::taken(const Node& node) const {
  Values values;
  if (!evaluator_.single_in_binary64(node)) return values;
  for (const auto& [field, output] : node.outputs) {
    if (!recorded(output.name)) return {};
    values[output.name] = read(output.name);
  }
  return values;
}

void NodeRunner::read_inputs(const Node& node, Values& taps) const {
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      const bool input = operand.kind == Operand::Kind::tap && computation_.plan.tap(operand.name).producer < 0;
      if (input && !taps.contains(operand.name)) taps[operand.name] = read(operand.name);
    }
  }
}

Values NodeRunner::follow(const Node& node, const Values& taps, Values& values) {
  const KernelTable::Entry* kernel = computation_.kernel_of(node);
  const Definition& definition =
      kernel != nullptr ? kernel->definition : evaluator_.registry().component(node.component);
  Values continued;
  for (const auto& [field, output] : node.outputs) {
    const auto index = static_cast<size_t>(definition.output_index(field));
    if (!is_discrete(definition.outputs[index].judge) || !recorded(output.name)) continue;
    const Tensor decision = read(output.name);
    const Tensor own = on_host(values.at(output.name));
    if (decision.shape() != own.shape() || same_bytes(decision, own)) continue;
    if (takes_decisions(definition)) values = run(node, taps, &decision);
    values[output.name] = own;
    continued[output.name] = decision;
  }
  return continued;
}

}  // namespace parity::replay

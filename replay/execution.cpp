// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/execution.hpp"

#include <algorithm>
#include <cstring>

#include "replay/lifetimes.hpp"

namespace parity::replay {
namespace {

/// Isolated results can be recomputed, so at most this much of them is stored.
constexpr int64_t kMostResults = int64_t{64} << 20;  // bytes

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.bytes() == b.bytes() && std::memcmp(a.view().data, b.view().data, static_cast<size_t>(a.bytes())) == 0;
}

bool takes_decisions(const Definition& definition) {
  return std::any_of(definition.inputs.begin(), definition.inputs.end(),
                     [](const FieldInfo& field) { return field.name == "forced"; });
}

}  // namespace

const KernelTable::Entry* Computation::kernel_of(const Node& node) const {
  return by_reference.contains(key_of(node)) ? nullptr : kernels.find(node.component);
}

bool Computation::computes(const Node& node) const {
  return kernels.kernels.empty() || kernel_of(node) != nullptr || edited.contains(key_of(node));
}

std::set<std::string> Computation::inner() const {
  std::set<std::string> taps;
  for (const FusedChain& chain : chains) taps.insert(chain.inner.begin(), chain.inner.end());
  return taps;
}

std::map<std::string, size_t> Computation::fused_nodes() const {
  std::map<std::string, size_t> nodes;
  for (size_t chain = 0; chain < chains.size(); ++chain) {
    for (const std::string& node : chains[chain].nodes) nodes[node] = chain;
  }
  return nodes;
}

Execution::Execution(std::shared_ptr<const Computation> computation, const TapSource& source, Mode mode, Wanted wanted)
    : TapSource(computation->plan),
      computation_(std::move(computation)),
      source_(source),
      mode_(mode),
      wanted_(std::move(wanted)),
      evaluator_(*computation_->registry, computation_->plan, *computation_->weights),
      native_(evaluator_) {
  if (mode_ != Mode::isolated) {
    uses_ = last_uses(plan(), all_nodes(plan()));
    return;
  }
  spans_ = build_spans(plan(), Sources(source_, *this));
  for (size_t span = 0; span < spans_.size(); ++span) {
    for (const std::string& tap : spans_[span].judged) span_of_[tap] = span;
  }
}

const Node& Execution::producer(const std::string& tap) const {
  return plan().nodes[static_cast<size_t>(plan().tap(tap).producer)];
}

bool Execution::has(const std::string& tap) const {
  const auto info = plan().taps.find(tap);
  if (info == plan().taps.end() || info->second.producer < 0 || !wanted_(tap)) return false;
  return mode_ != Mode::isolated || computation_->computes(producer(tap));
}

bool Execution::own(const std::string& tap) const {
  const auto info = plan().taps.find(tap);
  if (info == plan().taps.end() || info->second.producer < 0) return false;
  return computation_->computes(producer(tap)) && !refused_.contains(Computation::key_of(producer(tap)));
}

std::string Execution::reason(const std::string& tap) const {
  const Node& node = producer(tap);
  const auto refused = refused_.find(Computation::key_of(node));
  if (refused != refused_.end()) return fmt::format("{}: {}", computation_->name, refused->second);
  if (computation_->computes(node)) return "it was not requested";
  return fmt::format("{} has no kernel of {}{}", computation_->name, node.component,
                     mode_ == Mode::isolated ? "" : "; the reference computed it");
}

Tensor Execution::held(const std::string& tap) const {
  if (mode_ == Mode::isolated) {
    if (!results_.contains(tap)) run_span(spans_[span_of_.at(tap)]);
  } else {
    while (!results_.contains(tap) && next_ < plan().nodes.size()) run_next();
  }
  const Tensor& result = results_.at(tap);
  const DType recorded = plan().dtype_of(plan().tap(tap).type);
  return result.dtype() == recorded ? result : convert(result.view(), recorded);
}

void Execution::keep(const Values& values) const {
  for (const auto& [tap, value] : values) {
    if (!has(tap) || !results_.emplace(tap, value).second) continue;
    order_.push_back(tap);
    bytes_ += value.bytes();
  }
  while (mode_ == Mode::isolated && bytes_ > kMostResults && order_.size() > values.size()) {
    bytes_ -= results_.at(order_.front()).bytes();
    results_.erase(order_.front());
    order_.pop_front();
  }
}

void Execution::run_span(const Span& span) const {
  const auto uses = last_uses(plan(), span.nodes);
  Values taps;
  for (const std::string& tap : span.inputs) taps[tap] = held_value(plan(), tap, source_.read(tap));
  for (const int index : span.nodes) {
    Values values = run(plan().nodes[static_cast<size_t>(index)], taps, nullptr);
    if (index == span.nodes.back()) keep(values);
    values.merge(taps);  // keeps its own of common taps: experts' weights belong to its own choice and their order
    taps = std::move(values);
    release(taps, uses, index);
  }
}

void Execution::run_next() const {
  const Node& node = plan().nodes[next_];
  read_inputs(node, taps_);
  Values values = run(node, taps_, nullptr);
  Values continued;
  if (mode_ == Mode::forced) follow(node, values, continued);
  keep(values);
  continued.merge(values);
  taps_.merge(continued);
  release(taps_, uses_, static_cast<int>(next_));
  ++next_;
}

void Execution::read_inputs(const Node& node, Values& taps) const {
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      const bool input = operand.kind == Operand::Kind::tap && plan().tap(operand.name).producer < 0;
      if (input && !taps.contains(operand.name))
        taps[operand.name] = held_value(plan(), operand.name, source_.read(operand.name));
    }
  }
}

void Execution::follow(const Node& node, Values& values, Values& continued) const {
  const KernelTable::Entry* kernel = computation_->kernel_of(node);
  const Definition& definition =
      kernel != nullptr ? kernel->definition : evaluator_.registry().component(node.component);
  for (const auto& [field, output] : node.outputs) {
    const auto index = static_cast<size_t>(definition.output_index(field));
    if (!is_discrete(definition.outputs[index].judge) || !source_.has(output.name)) continue;
    const Tensor decision = held_value(plan(), output.name, source_.read(output.name));
    const Tensor own = values.at(output.name);
    if (decision.shape() != own.shape() || same_bytes(decision, own)) continue;
    if (takes_decisions(definition)) values = run(node, taps_, &decision);
    values[output.name] = own;
    continued[output.name] = decision;
  }
}

Values Execution::taken(const Node& node) const {
  Values values;
  if (!evaluator_.single_in_binary64(node)) return values;
  for (const auto& [field, output] : node.outputs) {
    if (!source_.has(output.name)) return {};
    values[output.name] = held_value(plan(), output.name, source_.read(output.name));
  }
  return values;
}

Values Execution::run(const Node& node, const Values& taps, const Tensor* forced) const {
  const KernelTable::Entry* kernel = computation_->kernel_of(node);
  if (kernel == nullptr || refused_.contains(Computation::key_of(node))) return run_by_reference(node, taps, forced);
  try {
    return native_.run(
        node, *kernel, taps, [&](const std::string& tap) { return has(tap); }, forced);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    refused_[Computation::key_of(node)] = error.what();
  }
  return run_by_reference(node, taps, forced);
}

Values Execution::run_by_reference(const Node& node, const Values& taps, const Tensor* forced) const {
  if (Values values = taken(node); !values.empty()) return values;
  Environment wide;
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      const auto value = operand.kind == Operand::Kind::tap ? taps.find(operand.name) : taps.end();
      if (value == taps.end()) continue;
      const Tensor widened = widen(value->second);
      wide[operand.name] = {widened, widened, {}, {}};
    }
  }
  const auto wanted = [&](const std::string& tap) { return has(tap); };
  Outcome outcome = evaluator_.run(node, wide, wanted, Evaluator::Lanes::rounded);
  for (const auto& [field, own] : std::map<std::string, Tensor>(outcome.own)) {
    if (forced != nullptr) evaluator_.force(outcome, field, *forced, wide);
  }
  Values values;
  for (const auto& [field, value] : outcome.outputs) {
    const std::string& tap = node.outputs.at(field).name;
    values[tap] = held_value(plan(), tap, value.rounded);
  }
  return values;
}

}  // namespace parity::replay

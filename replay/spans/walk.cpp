// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/spans/walk.hpp"

#include <algorithm>

#include "core/random.hpp"
#include "ranks/communicator.hpp"
#include "replay/captures/stored_tap.hpp"
#include "replay/execution/lifetimes.hpp"

namespace parity::replay {
namespace {

int64_t bytes_of(const Environment& taps) {
  int64_t total = 0;
  for (const auto& [tap, value] : taps) total += value.bytes();
  return total;
}

/// Returns the size of the largest judged tap, as stored and widened: memory of the judge besides both evaluations.
int64_t largest_judged(const Plan& plan, const std::vector<std::string>& taps) {
  int64_t largest = 0;
  for (const std::string& tap : taps) {
    const TapInfo& info = plan.tap(tap);
    largest = std::max(largest, element_count(info.shape) * (size_of(plan.dtype_of(info.type)) + size_of(DType::f64)));
  }
  return largest;
}

bool discrete(const Outcome& outcome, const std::string& field) { return outcome.own.contains(field); }

/// Whether a decision has the shape that kernels expect. One of another shape is judged, but not used. Ids out of range
/// are allowed: the visitor judged them, and kernels skip ids that they cannot select.
bool usable(const Tensor& decision, const Outcome& outcome, const std::string& field) {
  const auto own = outcome.own.at(field);
  return decision.shape() == own.shape();
}

/// Returns numbers that round to `values` when stored in `stored`, drawn half way to the boundary above or below.
Tensor before_storing(const Tensor& values, DType stored) {
  const Random random(1, "before storing");
  Tensor result = convert(values.view(), DType::f64);
  for (int64_t i = 0; i < result.view().count(); ++i) {
    const double up = (random.bits(static_cast<uint64_t>(i)) & 1U) != 0 ? 1.0 : -1.0;
    result.f64()[i] += 0.5 * up * unit_roundoff(stored) * result.f64()[i];
  }
  return result;
}

/// Whether the exact and rounded values of an input differ, so that results inherit an error.
bool uncertain(const TapValue& value) { return value.exact.view().data != value.rounded.view().data; }

struct Step {
  const Evaluator& evaluator;
  const Sources& sources;
  Visitor& visitor;
  mutable bool binary32 = false;  // see Finding::binary32

  [[nodiscard]] Finding finding(const Outcome& outcome, const std::string& field, const Environment& taps,
                                const std::vector<int>* span, bool inherited) const {
    const std::string& tap = outcome.node->outputs.at(field).name;
    return {&outcome,
            field,
            tap,
            sources.judged.read(tap),
            span,
            inherited,
            binary32,
            sources.judged.uncomputed(tap),
            [this, &outcome, &taps](const Variation& variation) {
              return varied(evaluator, sources.inputs, taps, outcome, variation);
            }};
  }

  /// Decides discrete outputs, recorded ones by the visitor, and then passes recorded values to it.
  void settle(Outcome& outcome, const Environment& taps, const std::vector<int>* span, bool inherited,
              bool judge_outputs) const {
    for (const auto& [field, own] : std::map<std::string, Tensor>(outcome.own)) {
      const std::string& tap = outcome.node->outputs.at(field).name;
      if (!sources.judged.has(tap)) {
        visitor.undecided(outcome, field);
        evaluator.force(outcome, field, Tensor(outcome.outputs.at(field).rounded), taps);
        continue;
      }
      const Finding found = finding(outcome, field, taps, span, inherited);
      const bool take = !judge_outputs || visitor.decide(found);
      const bool other = &sources.decisions != &sources.judged && sources.decisions.has(tap);
      const Tensor decision = widen(other ? sources.decisions.read(tap) : found.recorded);
      evaluator.force(outcome, field, take && usable(decision, outcome, field) ? decision : own, taps);
    }
    if (!judge_outputs) return;
    for (const auto& [field, value] : outcome.outputs) {
      const std::string& tap = outcome.node->outputs.at(field).name;
      if (discrete(outcome, field) || !sources.judged.has(tap)) continue;
      visitor.judge(finding(outcome, field, taps, span, inherited));
    }
  }
};

void walk_span(const Step& step, const Span& span) {
  const Plan& plan = step.evaluator.plan();
  step.binary32 = false;
  Environment taps;
  for (const std::string& tap : span.inputs) taps[tap] = recorded_value(step.sources.inputs, tap);
  const bool several = span.nodes.size() > 1 ||
                       std::any_of(taps.begin(), taps.end(), [](const auto& tap) { return uncertain(tap.second); });
  const auto uses = last_uses(plan, span.nodes);
  int64_t peak = 0;
  for (const int index : span.nodes) {
    const Node& node = plan.nodes[static_cast<size_t>(index)];
    const bool last = index == span.nodes.back();
    const auto wanted = [&](const std::string& tap) { return last && step.sources.judged.has(tap); };
    Outcome outcome = step.evaluator.run(node, taps, wanted);
    step.settle(outcome, taps, several ? &span.nodes : nullptr, several, last);
    step.binary32 = step.binary32 || step.evaluator.single_in_binary64(node);
    const int64_t beside = last ? largest_judged(plan, span.judged) : 0;
    peak = std::max(peak, bytes_of(taps) + outcome.output_bytes() + outcome.parameter_bytes + beside);
    keep_outputs(outcome, taps);
    release(taps, uses, index);
  }
  step.visitor.working_set(peak, plan.nodes[static_cast<size_t>(span.nodes.back())].prefix);
}

}  // namespace

TapValue recorded_value(const TapSource& source, const std::string& tap) {
  TapValue value;
  const Tensor stored = source.read(tap);
  value.exact = widen(stored);
  value.rounded = value.exact;
  if (narrower(stored.dtype(), source.plan().dtype_of(source.plan().tap(tap).type)))
    value.rounded = before_storing(value.exact, stored.dtype());
  return value;
}

void read_inputs(const Plan& plan, const TapSource& inputs, const Node& node, Environment& taps) {
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      const bool input = operand.kind == Operand::Kind::tap && plan.tap(operand.name).producer < 0;
      if (input && !taps.contains(operand.name)) taps[operand.name] = recorded_value(inputs, operand.name);
    }
  }
}

bool take_recorded(const Evaluator& evaluator, const TapSource& recorded, const Node& node, Environment& taps) {
  if (!evaluator.single_in_binary64(node)) return false;
  for (const auto& [field, output] : node.outputs) {
    if (!recorded.has(output.name)) return false;
  }
  for (const auto& [field, output] : node.outputs) taps[output.name] = recorded_value(recorded, output.name);
  return true;
}

void walk_isolated(const Evaluator& evaluator, const Sources& sources, const std::vector<Span>& spans,
                   Visitor& visitor) {
  const Step step{evaluator, sources, visitor};
  for (size_t i = 0; i < spans.size(); ++i) {
    visitor.progress(i, spans.size(), spans[i].judged.front());
    try {
      walk_span(step, spans[i]);
    } catch (const ranks::RankFailed&) {  // a run that lost a rank shows nothing
      throw;
    } catch (const Error& error) {
      visitor.failed(spans[i].judged, error);
    }
  }
}

void walk_chained(const Evaluator& evaluator, const Sources& sources, Visitor& visitor) {
  const Step step{evaluator, sources, visitor};
  const Plan& plan = evaluator.plan();
  const auto uses = last_uses(plan, all_nodes(plan));
  Environment taps;
  for (size_t index = 0; index < plan.nodes.size(); ++index) {
    const Node& node = plan.nodes[index];
    visitor.progress(index, plan.nodes.size(), node.prefix);
    if (take_recorded(evaluator, sources.judged, node, taps)) continue;
    try {
      read_inputs(plan, sources.inputs, node, taps);
      Outcome outcome = evaluator.run(node, taps, [&](const std::string& tap) { return sources.judged.has(tap); });
      step.settle(outcome, taps, nullptr, true, true);
      step.binary32 = step.binary32 || evaluator.single_in_binary64(node);
      keep_outputs(outcome, taps);
    } catch (const ranks::RankFailed&) {
      throw;
    } catch (const Error& error) {
      visitor.failed({node.outputs.begin()->second.name}, error);
      return;  // no later node can be evaluated
    }
    release(taps, uses, static_cast<int>(index));
  }
}

}  // namespace parity::replay

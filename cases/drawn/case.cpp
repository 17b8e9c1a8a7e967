// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/drawn/case.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "cases/drawn/chain_case.hpp"
#include "cases/drawn/exact.hpp"
#include "cases/drawn/kernels.hpp"
#include "cases/drawn/large.hpp"
#include "cases/drawn/maker.hpp"
#include "cases/threads.hpp"
#include "core/random.hpp"
#include "optimized/registry.hpp"
#include "reference/reference.hpp"

namespace parity::cases {
namespace {

/// Operands of a kernel. Outputs start as NaN or an invalid id.
struct Operands {
  Arguments in, out;
  std::map<std::string, Tensor> outputs;  // key: field
  std::vector<std::unique_ptr<WeightBank>> banks;

  Operands(const Node& node, const replay::Environment& taps, const replay::Evaluator& evaluator) {
    const Plan& plan = evaluator.plan();
    const Definition& definition = evaluator.registry().component(node.component);
    in.resize(definition.inputs.size());
    out.resize(definition.outputs.size());
    for (const auto& [field, list] : node.inputs) {
      Argument& argument = in[static_cast<size_t>(definition.input_index(field))];
      if (list.front().kind == Operand::Kind::bank) {
        banks.push_back(evaluator.parameters().bank(list.front().name));
        argument.bank = banks.back().get();
        continue;
      }
      for (const Operand& operand : list) {
        const TensorView& view = taps.at(operand.name).rounded.view();
        argument.tensors.push_back(operand.axes.empty() ? view : view.view_as(operand.axes, plan.sizes_of(node)));
      }
    }
    for (const auto& [field, operand] : node.outputs) {
      const TapInfo& info = plan.tap(operand.name);
      const bool integer = is_integer(info.type);
      Tensor tensor(integer ? DType::i64 : DType::f64, info.shape, info.axes);
      const int64_t count = tensor.view().count();
      if (integer) std::fill_n(tensor.i64(), count, std::numeric_limits<int64_t>::min());
      if (!integer) std::fill_n(tensor.f64(), count, std::numeric_limits<double>::quiet_NaN());
      outputs[field] = tensor;
      out[static_cast<size_t>(definition.output_index(field))].tensors = {outputs[field].view()};
    }
  }
};

bool every_output(const std::string&) { return true; }

/// Whether the kernel of the case writes the tap. A fused kernel does not write the inner taps of its chain.
bool is_written(const DrawnCase& drawn, const std::string& tap) {
  const auto names = [&](const auto& output) { return output.second.name == tap; };
  return !drawn.fused || std::any_of(drawn.fused->outputs.begin(), drawn.fused->outputs.end(), names);
}

/// Walks the nodes in order. run(node, taps) returns a node's outputs by field, in f64 or i64.
template <class Run>
std::map<std::string, Tensor> walked(const DrawnCase& drawn, const Plan& plan, const Run& run) {
  replay::Environment taps = drawn.taps;
  std::map<std::string, Tensor> result;
  for (const Node& node : plan.nodes) {
    for (const auto& [field, wide] : run(node, taps)) {
      const std::string& tap = node.outputs.at(field).name;
      const Tensor stored = convert(wide.view(), drawn.plan.dtype_of(drawn.plan.tap(tap).type));
      taps[tap].exact = taps[tap].rounded = widen(stored);
      if (is_written(drawn, tap)) result[tap] = stored;
    }
  }
  return result;
}

std::map<std::string, Tensor> rounded_by_field(const Node& node, const replay::Environment& taps,
                                               const replay::Evaluator& evaluator) {
  std::map<std::string, Tensor> outputs;
  for (const auto& [field, value] : evaluator.run(node, taps, every_output, replay::Evaluator::Lanes::rounded).outputs)
    outputs[field] = value.rounded;
  return outputs;
}

/// Runs kernels of another order, and the reference for parts without one. `plan` has all roundings or some.
std::map<std::string, Tensor> in_order_of_its_own(const DrawnCase& correct, const Plan& plan,
                                                  const replay::Evaluator& evaluator) {
  Context context;
  context.rounding = correct.own_rounding ? Rounding::exact(plan.working, plan.rounding)
                                          : Rounding::oracle(plan.working, plan.rounding);
  return walked(correct, plan, [&](const Node& node, const replay::Environment& taps) {
    const auto kernel = correct_kernels().find(node.component);
    PARITY_CHECK(kernel != correct_kernels().end() || correct.fused, unsupported,
                 "--kernel correct has no second implementation of {}; use --kernel reference", node.component);
    if (kernel == correct_kernels().end()) return rounded_by_field(node, taps, evaluator);
    Operands operands(node, taps, evaluator);
    kernel->second(operands.in, node.params, operands.out, context, Arithmetic(correct.style));
    return operands.outputs;
  });
}

std::map<std::string, Tensor> in_another_order(const DrawnCase& correct, const replay::Evaluator& evaluator) {
  return in_order_of_its_own(correct, correct.plan, evaluator);
}

/// Leaves out each inner rounding of the oracle with probability 1/2; every fourth case leaves out all.
Plan with_fewer_roundings(const DrawnCase& drawn) {
  Plan plan = drawn.plan;
  const Random random(drawn.spec.seed, "roundings left out");
  const bool all = random.below(0, 4) == 0;
  uint64_t next = 1;
  for (const Node& node : drawn.plan.nodes) {
    for (const auto& [name, precision] : reference::registry().component(node.component).points) {
      const std::string key = node.component + "." + name;
      const auto row = plan.rounding.find(key);
      const Precision used = row == plan.rounding.end() ? precision : row->second;
      const bool left_out = random.below(next++, 2) == 0 || all;
      if (used == Precision::working && left_out) plan.rounding[key] = Precision::single;
    }
  }
  return plan;
}

std::map<std::string, Tensor> with_own_roundings(const DrawnCase& drawn, const replay::Evaluator& evaluator) {
  const Plan plan = with_fewer_roundings(drawn);
  const replay::Evaluator other(evaluator.registry(), plan, drawn.weights);
  const bool reordered = std::all_of(plan.nodes.begin(), plan.nodes.end(),
                                     [](const Node& node) { return correct_kernels().contains(node.component); });
  return reordered ? in_order_of_its_own(drawn, plan, other) : rounded_outputs(drawn, other);
}

/// An empty source: a case is judged on its own, without the taps from which its inputs came.
class Nothing final : public replay::TapSource {
 public:
  using TapSource::TapSource;
  [[nodiscard]] bool has(const std::string&) const override { return false; }

 private:
  [[nodiscard]] Tensor held(const std::string&) const override { return {}; }
};

/// Throws if the reference rounds on an exact case: then the recipe is wrong, and the case can judge no kernel.
void require_exact(const DrawnCase& drawn, const replay::Outcome& outcome) {
  for (const auto& [field, value] : outcome.outputs) {
    const TapInfo& info = drawn.plan.tap(outcome.node->outputs.at(field).name);
    if (is_integer(info.type)) continue;
    const DType dtype = drawn.plan.dtype_of(info.type);
    for (int64_t i = 0; i < value.exact.view().count(); ++i) {
      const double exact = round_to(dtype, value.exact.f64()[i]), rounded = value.rounded.f64()[i];
      PARITY_CHECK(exact == rounded || (std::isnan(exact) && std::isnan(rounded)), internal,
                   "case {}: element {} of {} is {}, which rounds to {}, although operands of lane exact must not "
                   "round; correct cases/drawn/exact_*.cpp",
                   drawn.spec.text(), i, field, value.exact.f64()[i], rounded);
    }
  }
}

/// Earlier nodes whose outputs the kernel does not return. Their errors appear in the next tap.
using OpenNodes = std::map<std::string, std::set<int>>;  // key: tap

std::vector<int> span_of(int index, const Node& node, const OpenNodes& open) {
  std::set<int> span{index};
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      const auto earlier = open.find(operand.name);
      if (earlier != open.end()) span.insert(earlier->second.begin(), earlier->second.end());
    }
  }
  return {span.begin(), span.end()};
}

compare::JudgeOptions options_of(const DrawnCase& drawn, const CaseKernel& kernel) {
  compare::JudgeOptions options;
  options.backend = "case";
  options.free_rounding = drawn.free_rounding;
  options.policy = kernel.policy;
  options.marked = kernel.native;
  options.exact = drawn.spec.lane == Lane::exact;
  options.systematic =
      drawn.spec.lane != Lane::special && !options.exact;  // all elements of a row with an infinity err alike
  if (!kernel.rounds_freely) return options;
  options.free_rounding.clear();
  for (const Node& node : drawn.plan.nodes) options.free_rounding.push_back(node.component);
  return options;
}

/// Judges one node. In a chain its inputs are the kernel's earlier outputs, and its outputs are inputs of later nodes.
void judge_node(const DrawnCase& drawn, int index, const std::map<std::string, Tensor>& got,
                const replay::Evaluator& evaluator, replay::Environment& taps, OpenNodes& open,
                compare::JudgeVisitor& visitor) {
  const Node& node = drawn.plan.nodes[static_cast<size_t>(index)];
  replay::Outcome outcome = [&] {
    const Threads threads(drawn.style.threads);
    return evaluator.run(node, taps, every_output);
  }();
  if (drawn.spec.lane == Lane::exact) require_exact(drawn, outcome);
  const std::vector<int> span = span_of(index, node, open);
  const bool several = span.size() > 1;
  const auto finding = [&](const std::string& field) {
    const std::string& tap = node.outputs.at(field).name;
    return replay::Finding{&outcome,
                           field,
                           tap,
                           got.at(tap),
                           several ? &span : nullptr,
                           several,
                           false,
                           {},
                           [&](const replay::Variation& variation) {
                             return replay::varied(evaluator, Nothing(evaluator.plan()), taps, outcome, variation);
                           }};
  };
  for (const auto& [field, own] : std::map<std::string, Tensor>(outcome.own)) {
    static_cast<void>(visitor.decide(finding(field)));
    evaluator.force(outcome, field, widen(finding(field).recorded), taps);
  }
  for (const auto& [field, value] : outcome.outputs) {
    const std::string& tap = node.outputs.at(field).name;
    if (got.contains(tap)) {
      if (!outcome.own.contains(field)) visitor.judge(finding(field));
      taps[tap].exact = taps[tap].rounded = widen(got.at(tap));
    } else {
      const bool inner = drawn.plan.nodes.size() > 1 && (!drawn.fused || !is_written(drawn, tap));
      PARITY_CHECK(inner, internal, "the kernel returns no output {}", tap);
      taps[tap] = value;
      open[tap].insert(span.begin(), span.end());
    }
  }
}

}  // namespace

std::map<std::string, Tensor> rounded_outputs(const DrawnCase& drawn, const replay::Evaluator& evaluator) {
  return walked(drawn, evaluator.plan(), [&](const Node& node, const replay::Environment& taps) {
    return rounded_by_field(node, taps, evaluator);
  });
}

std::vector<std::string> CaseWeights::names() const {
  std::vector<std::string> all;
  for (const auto& [name, tensor] : tensors_) all.push_back(name);
  return all;
}

std::string DrawnCase::extents_text() const {
  std::string result = fmt::format("{} {}", spec.component, to_string(plan.working));
  for (const auto& [letter, size] : plan.sizes.at(0)) result += fmt::format(" {}{}", letter, size);
  return result + " " + plan.profile;
}

std::string DrawnCase::text() const {
  return extents_text() + fmt::format("; {}/{}{}{}{}{}, {} threads", to_string(style.order), style.width,
                                      style.fused ? " fused" : "", style.reciprocal ? " reciprocal" : "",
                                      own_rounding ? " own roundings" : "", free_rounding.empty() ? "" : " free",
                                      style.threads);
}

std::string text_of(const DrawnCase& drawn, const CaseKernel& kernel) {
  return kernel.native ? drawn.extents_text() : drawn.text();
}

DrawnCase draw_component(const CaseSpec& spec, Settled settled) {
  CaseMaker maker(spec, std::move(settled));
  if (spec.lane == Lane::large) {
    const Growth growth = growth_of(spec);
    maker.grow(growth.letter, growth.rows);
  }
  recipes().at(spec.component)(maker);
  if (spec.lane == Lane::exact) {
    const std::string reason = no_exact_cases(spec.component, spec.working);
    PARITY_CHECK(reason.empty(), unsupported, "lane exact has no cases of {} in {}: {}", spec.component,
                 to_string(spec.working), reason);
    maker.replace();
    draw_exact(maker);
  }
  return maker.take();
}

DrawnCase draw_case(const CaseSpec& spec) {
  const Fusions& fusions = optimized::fusions();
  if (recipes().contains(spec.component)) return draw_component(spec);
  return draw_chain(spec, fusions.kernels().component(spec.component), fusions.parts(spec.component));
}

std::vector<std::string> drawn_fusions() { return optimized::fusions().kernels().components(); }

std::vector<std::string> drawn_cases() {
  std::vector<std::string> names = drawn_components();
  for (const std::string& fusion : drawn_fusions()) names.push_back(fusion);
  return names;
}

std::vector<std::string> drawn_components() {
  std::vector<std::string> names;
  for (const auto& [name, recipe] : recipes()) names.push_back(name);
  return names;
}

std::vector<std::string> reordered_components() {
  std::vector<std::string> names;
  for (const auto& [name, kernel] : correct_kernels()) names.push_back(name);
  return names;
}

CaseKernel another_order() { return {in_another_order}; }

CaseKernel oracle() { return {rounded_outputs}; }

CaseKernel own_roundings() { return {with_own_roundings, false, compare::Policy::bounds}; }

std::vector<compare::Record> judge_case(const DrawnCase& drawn, const CaseKernel& kernel,
                                        const compare::Observer& observe) {
  const replay::Evaluator evaluator(reference::registry(), drawn.plan, drawn.weights);
  const auto got = kernel.run(drawn, evaluator);
  compare::JudgeOptions options = options_of(drawn, kernel);
  options.observe = observe;
  compare::JudgeVisitor visitor(evaluator, std::move(options));
  replay::Environment taps = drawn.taps;
  OpenNodes open;
  for (size_t index = 0; index < drawn.plan.nodes.size(); ++index)
    judge_node(drawn, static_cast<int>(index), got, evaluator, taps, open, visitor);
  return visitor.take_records();
}

}  // namespace parity::cases

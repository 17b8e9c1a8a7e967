// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/correct/case.hpp"

#include <algorithm>
#include <limits>

#include "compare/judge.hpp"
#include "faults/correct/exact.hpp"
#include "faults/correct/kernels.hpp"
#include "faults/correct/large.hpp"
#include "faults/correct/maker.hpp"
#include "faults/edit.hpp"
#include "faults/threads.hpp"

namespace parity::faults {
namespace {

/// What a kernel reads and writes; outputs start as NaN or an absurd id.
struct Operands {
  Arguments in, out;
  std::map<std::string, Tensor> outputs;  // by field
  std::vector<std::unique_ptr<WeightBank>> banks;

  Operands(const DrawnCase& correct, const Definition& definition, const replay::Parameters& parameters) {
    const Node& node = correct.plan.nodes.front();
    in.resize(definition.inputs.size());
    out.resize(definition.outputs.size());
    for (const auto& [field, list] : node.inputs) {
      Argument& argument = in[static_cast<size_t>(definition.input_index(field))];
      if (list.front().kind == Operand::Kind::bank) {
        banks.push_back(parameters.bank(list.front().name));
        argument.bank = banks.back().get();
      } else {
        for (const Operand& operand : list) argument.tensors.push_back(correct.taps.at(operand.name).exact.view());
      }
    }
    for (const auto& [field, operand] : node.outputs) {
      const TapInfo& info = correct.plan.tap(operand.name);
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

std::map<std::string, Tensor> in_another_order(const DrawnCase& correct, const replay::Evaluator& evaluator) {
  const Node& node = correct.plan.nodes.front();
  Operands operands(correct, evaluator.registry().component(node.component), evaluator.parameters());
  Context context;
  context.rounding = correct.own_rounding ? Rounding::exact(correct.plan.working, correct.plan.rounding)
                                          : Rounding::oracle(correct.plan.working, correct.plan.rounding);
  const auto kernel = correct_kernels().find(node.component);
  PARITY_CHECK(kernel != correct_kernels().end(), unsupported,
               "nothing computes {} in another order; try it with --kernel reference", node.component);
  kernel->second(operands.in, node.params, operands.out, context, Arithmetic(correct.style));
  std::map<std::string, Tensor> result;
  for (const auto& [field, tensor] : operands.outputs) {
    const DType dtype = correct.plan.dtype_of(correct.plan.tap(node.outputs.at(field).name).type);
    result[field] = convert(tensor.view(), dtype);
  }
  return result;
}

bool every_output(const std::string&) { return true; }

/// An exact case on which the reference rounds judges nobody: its recipe is wrong.
void require_exact(const DrawnCase& drawn, const replay::Outcome& outcome) {
  for (const auto& [field, value] : outcome.outputs) {
    const TapInfo& info = drawn.plan.tap(outcome.node->outputs.at(field).name);
    if (is_integer(info.type)) continue;
    const DType dtype = drawn.plan.dtype_of(info.type);
    for (int64_t i = 0; i < value.exact.view().count(); ++i) {
      const double exact = round_to(dtype, value.exact.f64()[i]), rounded = value.rounded.f64()[i];
      PARITY_CHECK(exact == rounded || (std::isnan(exact) && std::isnan(rounded)), internal,
                   "case {}: element {} of {} is {} but rounds to {}; its recipe is not exact", drawn.spec.text(), i,
                   field, value.exact.f64()[i], rounded);
    }
  }
}

/// Several nodes: the taps that the kernel gives, each as the end of a span, as a recording without the others is judged.
std::vector<compare::Record> judge_chain(const DrawnCase& drawn, const CaseKernel& kernel,
                                         const replay::Evaluator& evaluator) {
  const auto got = kernel.run(drawn, evaluator);
  compare::JudgeOptions options;
  options.backend = "case";
  if (kernel.rounds_freely) options.free_rounding = {drawn.spec.component};
  compare::JudgeVisitor visitor(evaluator, options);
  replay::Environment taps = drawn.taps;
  std::vector<int> span;
  for (const Node& node : drawn.plan.nodes) {
    span.push_back(static_cast<int>(span.size()));
    replay::Outcome outcome = evaluator.run(node, taps, every_output);
    const bool several = span.size() > 1;
    for (const auto& [field, output] : node.outputs) {
      const auto given = got.find(output.name);
      if (given != got.end())
        visitor.judge({&outcome, field, output.name, given->second, several ? &span : nullptr, several});
    }
    for (auto& [field, value] : outcome.outputs) taps[node.outputs.at(field).name] = value;
  }
  return visitor.take_records();
}

}  // namespace

std::map<std::string, Tensor> rounded_outputs(const DrawnCase& drawn, const replay::Evaluator& evaluator) {
  const Node& node = evaluator.plan().nodes.front();
  const auto outcome = evaluator.run(node, drawn.taps, every_output, replay::Evaluator::Lanes::rounded);
  std::map<std::string, Tensor> result;
  for (const auto& [field, value] : outcome.outputs) {
    const TapInfo& info = drawn.plan.tap(node.outputs.at(field).name);
    result[field] = convert(value.rounded.view(), drawn.plan.dtype_of(info.type));
  }
  return result;
}

std::vector<std::string> CaseWeights::names() const {
  std::vector<std::string> all;
  for (const auto& [name, tensor] : tensors_) all.push_back(name);
  return all;
}

std::string DrawnCase::text() const {
  std::string result = fmt::format("{} {}", plan.nodes.front().component, to_string(plan.working));
  for (const auto& [letter, size] : plan.sizes.at(0)) result += fmt::format(" {}{}", letter, size);
  return result + fmt::format(" {}; {}/{}{}{}{}{}, {} threads", plan.profile, to_string(style.order), style.width,
                              style.fused ? " fused" : "", style.reciprocal ? " reciprocal" : "",
                              own_rounding ? " own roundings" : "", free_rounding.empty() ? "" : " free",
                              style.threads);
}

DrawnCase draw_case(const CaseSpec& spec) {
  CaseMaker maker(spec);
  if (spec.lane == Lane::large) {
    const Growth growth = growth_of(spec);
    maker.grow(growth.letter, growth.rows);
  }
  recipes().at(spec.component)(maker);
  if (spec.lane == Lane::exact) {
    const std::string reason = no_exact_cases(spec.component, spec.working);
    PARITY_CHECK(reason.empty(), unsupported, "{} has no exact cases in {}: {}", spec.component,
                 to_string(spec.working), reason);
    maker.replace();
    const auto recipe = exact_recipes().find(spec.component);
    if (recipe != exact_recipes().end()) recipe->second(maker);
  }
  return maker.take();
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

std::vector<compare::Record> judge_case(const DrawnCase& drawn, const CaseKernel& kernel) {
  const replay::Evaluator evaluator(registry(), drawn.plan, drawn.weights);
  if (drawn.plan.nodes.size() > 1) return judge_chain(drawn, kernel, evaluator);
  replay::Outcome outcome = [&] {
    const Threads threads(drawn.style.threads);
    return evaluator.run(drawn.plan.nodes.front(), drawn.taps, every_output);
  }();
  const bool exact = drawn.spec.lane == Lane::exact;
  if (exact) require_exact(drawn, outcome);
  const auto got = kernel.run(drawn, evaluator);
  compare::JudgeOptions options;
  options.backend = "case";
  options.free_rounding = drawn.free_rounding;
  options.systematic = drawn.spec.lane != Lane::special && !exact;  // a row that an infinity reaches errs as one
  options.exact = exact;
  if (kernel.rounds_freely) options.free_rounding = {drawn.spec.component};
  compare::JudgeVisitor visitor(evaluator, options);
  const auto finding = [&](const std::string& field) {
    return replay::Finding{&outcome, field, outcome.node->outputs.at(field).name, got.at(field)};
  };
  for (const auto& [field, own] : std::map<std::string, Tensor>(outcome.own)) {
    static_cast<void>(visitor.decide(finding(field)));
    evaluator.force(outcome, field, widen(got.at(field)), drawn.taps);
  }
  for (const auto& [field, value] : outcome.outputs) {
    if (!outcome.own.contains(field)) visitor.judge(finding(field));
  }
  return visitor.take_records();
}

}  // namespace parity::faults

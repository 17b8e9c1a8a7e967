// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/correct/case.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>

#include <omp.h>

#include "compare/judge.hpp"
#include "core/text.hpp"
#include "faults/correct/kernels.hpp"
#include "faults/correct/maker.hpp"
#include "faults/edit.hpp"

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
        argument.tensors = {correct.taps.at(list.front().name).exact.view()};
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
  correct_kernels().at(node.component)(operands.in, node.params, operands.out, context, Arithmetic(correct.style));
  std::map<std::string, Tensor> result;
  for (const auto& [field, tensor] : operands.outputs) {
    const DType dtype = correct.plan.dtype_of(correct.plan.tap(node.outputs.at(field).name).type);
    result[field] = convert(tensor.view(), dtype);
  }
  return result;
}

bool every_output(const std::string&) { return true; }

/// "S1" of "S1,H3".
std::pair<char, int64_t> extent_of(const std::string& word, const std::string& text) {
  const bool number = word.size() > 1 && word.size() < 12 &&
                      std::all_of(word.begin() + 1, word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  PARITY_CHECK(number, usage, "'{}' in case '{}' is no extent; expected a letter and a number, such as S1", word, text);
  return {word.front(), std::stoll(word.substr(1))};
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) c == separator ? static_cast<void>(parts.emplace_back()) : parts.back().push_back(c);
  return parts;
}

}  // namespace

const char* to_string(Lane lane) {
  constexpr std::array kNames{"boundary", "anywhere", "special"};
  return kNames.at(static_cast<size_t>(lane));
}

std::string CaseSpec::text() const {
  std::string result = fmt::format("{}:{}:{}:{}", component, to_string(working), to_string(lane), seed);
  for (const auto& [letter, extent] : most)
    result += fmt::format("{}{}{}", letter == most.begin()->first ? ':' : ',', letter, extent);
  return result;
}

CaseSpec parse_case(const std::string& text) {
  const auto parts = split(text, ':');
  PARITY_CHECK(parts.size() == 4 || parts.size() == 5, usage,
               "'{}' is no case; expected COMPONENT:TYPE:LANE:SEED[:EXTENTS], as a failing line prints it", text);
  CaseSpec spec;
  spec.component = parts[0];
  PARITY_CHECK(recipes().contains(spec.component), usage, "case '{}': no cases are drawn of component '{}'{}", text,
               spec.component, did_you_mean(spec.component, drawn_components()));
  const auto working = parse_dtype(parts[1]);
  PARITY_CHECK(working == DType::f32 || working == DType::bf16 || working == DType::f16, usage,
               "case '{}': type '{}' is not known; use f32, bf16 or f16", text, parts[1]);
  spec.working = *working;
  const auto lane = std::find_if(kLanes.begin(), kLanes.end(), [&](Lane known) { return parts[2] == to_string(known); });
  PARITY_CHECK(lane != kLanes.end(), usage, "case '{}': lane '{}' is not known; use boundary, anywhere or special",
               text, parts[2]);
  spec.lane = *lane;
  const char* end = parts[3].data() + parts[3].size();
  const auto read = std::from_chars(parts[3].data(), end, spec.seed);
  PARITY_CHECK(read.ec == std::errc() && read.ptr == end, usage, "case '{}': seed '{}' is no number", text, parts[3]);
  if (parts.size() == 5) {
    for (const std::string& word : split(parts[4], ',')) spec.most.insert(extent_of(word, text));
  }
  return spec;
}

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
  recipes().at(spec.component)(maker);
  return maker.take();
}

std::vector<std::string> drawn_components() {
  std::vector<std::string> names;
  for (const auto& [name, recipe] : recipes()) names.push_back(name);
  return names;
}

CaseKernel another_order() { return in_another_order; }

CaseKernel oracle() {
  return [](const DrawnCase& drawn, const replay::Evaluator& evaluator) { return rounded_outputs(drawn, evaluator); };
}

std::vector<compare::Record> judge_case(const DrawnCase& drawn, const CaseKernel& kernel) {
  const replay::Evaluator evaluator(registry(), drawn.plan, drawn.weights);
  const int before = omp_get_max_threads();
  omp_set_num_threads(drawn.style.threads);
  replay::Outcome outcome = evaluator.run(drawn.plan.nodes.front(), drawn.taps, every_output);
  omp_set_num_threads(before);
  const auto got = kernel(drawn, evaluator);
  compare::JudgeOptions options;
  options.backend = "case";
  options.free_rounding = drawn.free_rounding;
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

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/native_case.hpp"

#include <limits>

#include "reference/reference.hpp"

namespace parity::cases {
namespace {

/// The members of a bank in the type in which a kernel reads them.
class TypedBank final : public WeightBank {
 public:
  TypedBank(const WeightBank& wide, DType type) {
    for (int64_t i = 0; i < wide.size(); ++i) members_.push_back(convert(wide.member(i).view(), type));
  }
  [[nodiscard]] int64_t size() const override { return static_cast<int64_t>(members_.size()); }
  [[nodiscard]] Tensor member(int64_t index) const override { return members_.at(static_cast<size_t>(index)); }

 private:
  std::vector<Tensor> members_;
};

Tensor unwritten(DType type, const Shape& shape) {
  Tensor tensor = Tensor::guarded(type, shape);
  for (int64_t i = 0, count = tensor.view().count(); i < count; ++i) {
    if (type == DType::i64) {
      tensor.i64()[i] = std::numeric_limits<int64_t>::min();
    } else {
      store_element(type, tensor.view().data + i * size_of(type), std::numeric_limits<double>::quiet_NaN());
    }
  }
  return tensor;
}

}  // namespace

NativeCase::NativeCase(const DrawnCase& drawn, const KernelEntry& entry, const Definition& definition)
    : drawn_(drawn), node_(drawn.fused ? *drawn.fused : drawn.plan.nodes.front()) {
  const Plan& plan = drawn.plan;
  call_ = {entry.run, &definition, Arguments(definition.inputs.size()), node_.params, {}};
  call_.rounding = Rounding::oracle(plan.working, plan.rounding);
  const replay::Evaluator evaluator(reference::registry(), plan, drawn.weights);
  for (const auto& [field, list] : node_.inputs) {
    Argument& argument = call_.inputs[static_cast<size_t>(definition.input_index(field))];
    for (const Operand& operand : list) {
      if (operand.kind == Operand::Kind::bank) {
        banks_.push_back(std::make_unique<TypedBank>(*evaluator.parameters().bank(operand.name), plan.working));
        argument.bank = banks_.back().get();
        continue;
      }
      operands_.push_back(convert(drawn.taps.at(operand.name).exact.view(), type_of(field, operand.name)));
      argument.tensors.push_back(operands_.back().view());
    }
  }
  for (const auto& [field, operand] : node_.outputs) {
    const TapInfo& info = plan.tap(operand.name);
    call_.outputs[field] = info.shape;
    call_.types[field] = is_integer(info.type) ? DType::i64 : plan.dtype_of(info.type);
  }
}

DType NativeCase::type_of(const std::string& field, const std::string& tap) const {
  if (drawn_.taps.at(tap).exact.dtype() == DType::i64) return DType::i64;
  const auto stored = drawn_.stored.find(field);
  return stored == drawn_.stored.end() ? drawn_.plan.dtype_of(drawn_.plan.tap(tap).type) : stored->second;
}

std::map<std::string, Tensor> NativeCase::run() const {
  Context context;
  context.rounding = call_.rounding;
  Arguments outputs(call_.definition->outputs.size());
  std::map<std::string, Tensor> written;
  for (const auto& [field, shape] : call_.outputs) {
    const std::string& tap = node_.outputs.at(field).name;
    written[tap] = unwritten(call_.types.at(field), shape);
    outputs[static_cast<size_t>(call_.definition->output_index(field))].tensors = {written[tap].view()};
  }
  call_.run(call_.inputs, call_.params, outputs, context);
  for (auto& [tap, tensor] : written) {
    PARITY_CHECK(tensor.guards_intact(), internal, "the kernel writes beside {}; mend the kernel", tap);
    tensor = convert(tensor.view(), tensor.dtype());
  }
  return written;
}

}  // namespace parity::cases

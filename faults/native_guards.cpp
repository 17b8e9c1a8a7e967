// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Kernels of native types under the guards, on cases that the battery draws: their operands say in which types they are held.

#include <memory>

#include "faults/correct/case.hpp"
#include "faults/edit.hpp"
#include "faults/guards.hpp"

namespace parity::faults {
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

/// A drawn case as a call with operands of native types.
struct NativeCase {
  DrawnCase drawn;
  KernelCall call;
  std::vector<Tensor> operands;
  std::vector<std::unique_ptr<TypedBank>> banks;

  NativeCase(const CaseSpec& spec, const KernelEntry& entry, const Definition& definition) : drawn(draw_case(spec)) {
    const Plan& plan = drawn.plan;
    const Node& node = plan.nodes.front();
    call = {entry.run, &definition, Arguments(definition.inputs.size()), node.params, {}};
    call.rounding = Rounding::oracle(plan.working, plan.rounding);
    const replay::Evaluator evaluator(registry(), plan, drawn.weights);
    for (const auto& [field, list] : node.inputs) {
      Argument& argument = call.inputs[static_cast<size_t>(definition.input_index(field))];
      const std::string& name = list.front().name;
      if (list.front().kind == Operand::Kind::bank) {
        banks.push_back(std::make_unique<TypedBank>(*evaluator.parameters().bank(name), plan.working));
        argument.bank = banks.back().get();
        continue;
      }
      const TensorView& wide = drawn.taps.at(name).exact.view();
      operands.push_back(convert(wide, wide.dtype == DType::i64 ? DType::i64 : plan.dtype_of(plan.tap(name).type)));
      argument.tensors = {operands.back().view()};
    }
    for (const auto& [field, operand] : node.outputs) {
      const TapInfo& info = plan.tap(operand.name);
      call.outputs[field] = info.shape;
      call.types[field] = plan.dtype_of(info.type);
    }
  }
};

}  // namespace

std::vector<KernelGuards> run_native_guards(const Registry& registry, const GuardOptions& options) {
  constexpr int64_t kCasesPerSeed = 3;  // as many as a kernel of the reference is given
  std::vector<KernelGuards> kernels;
  const auto drawn = drawn_components();
  for (const KernelEntry& entry : registry.kernels()) {
    if (!options.wants(entry.component)) continue;
    PARITY_CHECK(std::find(drawn.begin(), drawn.end(), entry.component) != drawn.end(), internal,
                 "no cases are drawn of {}; it is no component of the reference", entry.component);
    const auto working = parse_dtype(entry.variant);
    PARITY_CHECK(working.has_value(), internal, "{} {}:{} names no type", entry.component, entry.backend,
                 entry.variant);
    KernelGuards kernel{entry.component, entry.backend, entry.variant, 0, {}, {}, {}, {}};
    for (int64_t i = 0; i < options.seeds * kCasesPerSeed; ++i) {
      const CaseSpec spec{
          entry.component, *working, i % 2 == 0 ? Lane::boundary : Lane::anywhere, static_cast<uint64_t>(i), {}};
      options.tell(entry, spec.text());
      kernel.add(check_guards(NativeCase(spec, entry, registry.component(entry.component)).call), spec.text());
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/native_case.hpp"

#include <cstring>

#include "cases/refused.hpp"
#include "compare/judging/marked.hpp"
#include "core/poison.hpp"
#include "reference/reference.hpp"

namespace parity::cases {
namespace {

/// The type of an operand in a native kernel's memory.
DType type_of(const DrawnCase& drawn, const std::string& field, const std::string& tap) {
  const TapType type = drawn.plan.tap(tap).type;
  const auto input = drawn.taps.find(tap);
  if (is_integer(type) || (input != drawn.taps.end() && input->second.exact.dtype() == DType::i64)) return DType::i64;
  const auto stored = drawn.stored.find(field);
  return stored == drawn.stored.end() ? drawn.plan.dtype_of(type) : stored->second;
}

std::vector<Tensor> members(const WeightBank& wide, DType type) {
  std::vector<Tensor> all;
  for (int64_t i = 0; i < wide.size(); ++i) all.push_back(convert(wide.member(i).view(), type));
  return all;
}

/// Codes as numbers of a tap's type, which has them all. Elements that were never written stay marked.
Tensor as_numbers(const Tensor& codes, DType type) {
  const Tensor numbers = convert(codes.view(), type);
  const uint64_t mark = poison_bits(Poison::nan, type);  // little-endian, as the elements are
  for (int64_t i = 0; i < numbers.view().count(); ++i) {
    if (compare::is_marked(codes.view(), i)) std::memcpy(numbers.view().data + i * size_of(type), &mark, size_of(type));
  }
  return numbers;
}

using TypeOf = std::function<DType(const std::string& field, const std::string& tap)>;

/// A call of the case's kernel; `weights`: the type of members of banks.
KernelCall call_of(const DrawnCase& drawn, const Definition& definition, const Rounding& rounding, DType weights,
                   const TypeOf& type) {
  const Plan& plan = drawn.plan;
  const Node& node = drawn.node();
  const replay::Evaluator evaluator(reference::registry(), plan, drawn.weights);
  KernelCall call(definition);
  call.params = node.params;
  call.rounding = rounding;
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      if (operand.kind == Operand::Kind::bank) {
        call.bank(field, members(*evaluator.parameters().bank(operand.name), weights));
      } else {
        call.input(field, convert(drawn.taps.at(operand.name).exact.view(), type(field, operand.name)));
      }
    }
  }
  for (const auto& [field, operand] : node.outputs) {
    const TapInfo& info = plan.tap(operand.name);
    call.output(field, {type(field, operand.name), info.shape, info.axes});
  }
  return call;
}

/// What the kernel refuses is a failure of the case. Error{unsupported} says that there is no kernel of the case.
void run_kernel(const PlacedCall& placed, const KernelEntry& kernel) {
  try {
    placed.run(kernel.run);
  } catch (const Refused&) {
    throw;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    throw Error(ErrorCode::device, error.what());
  }
}

}  // namespace

KernelCall native_call(const DrawnCase& drawn, const Definition& definition) {
  const Rounding rounding = Rounding::oracle(drawn.plan.working, drawn.plan.rounding);
  const TypeOf type = [&](const std::string& field, const std::string& tap) { return type_of(drawn, field, tap); };
  return call_of(drawn, definition, rounding, drawn.plan.working, type);
}

std::optional<KernelCall> reference_call(const DrawnCase& drawn, const Definition& definition) {
  if (reference::registry().find(definition.name, "reference", "rounded") == nullptr) return std::nullopt;
  const Rounding rounding = Rounding::exact(drawn.plan.working, drawn.plan.rounding);
  const TypeOf type = [&](const std::string&, const std::string& tap) {
    return is_integer(drawn.plan.tap(tap).type) ? DType::i64 : DType::f64;
  };
  return call_of(drawn, definition, rounding, DType::f64, type);
}

std::map<std::string, Tensor> run_native(const DrawnCase& drawn, const KernelEntry& kernel,
                                         const Definition& definition) {
  const KernelCall call = native_call(drawn, definition);
  const PlacedCall placed(call, kernel.place(0));
  placed.poison(Poison::nan);
  run_kernel(placed, kernel);
  placed.require_guards();
  std::map<std::string, Tensor> written;
  for (const auto& [field, output] : drawn.node().outputs) {
    const Tensor result = placed.output(field).on_host();
    const DType type = drawn.plan.dtype_of(drawn.plan.tap(output.name).type);
    written[output.name] = drawn.stored.contains(field) ? as_numbers(result, type) : result;
  }
  return written;
}

}  // namespace parity::cases

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/call.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/ranges.h>

#include "benches/chain.hpp"
#include "cases/drawn/case.hpp"
#include "core/plans/profile.hpp"
#include "reports/text/format.hpp"

namespace parity::benches {
namespace {

/// Returns a quickly computed, roughly normal number: the sum of four pieces of one mixed counter.
float quick_normal(uint64_t seed, uint64_t index) {
  uint64_t x = seed + 0x9E3779B97F4A7C15ULL * (index + 1);  // SplitMix64
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  x ^= x >> 31U;
  const auto pieces = static_cast<float>((x & 0xFFFFU) + (x >> 16U & 0xFFFFU) + (x >> 32U & 0xFFFFU) + (x >> 48U));
  return (pieces * 0x1p-16F - 2.0F) * 1.7320508F;
}

void fill(const Tensor& tensor, uint64_t seed, float scale) {
  const int64_t count = tensor.view().count();
  const DType dtype = tensor.dtype();
  std::byte* data = tensor.view().data;
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < count; ++i) {
    const float value = scale * quick_normal(seed, static_cast<uint64_t>(i));
    if (dtype == DType::f32) {
      reinterpret_cast<float*>(data)[i] = value;
    } else if (dtype == DType::bf16) {
      const auto bits = std::bit_cast<uint32_t>(value);
      reinterpret_cast<uint16_t*>(data)[i] = static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
    } else {
      store_element(dtype, data + i * size_of(dtype), static_cast<double>(value));
    }
  }
}

/// Returns a copy of the slice of an operand, in host memory.
Tensor sliced(const CallOperand& operand, const Slice& slice) {
  const Tensor whole = operand.tensor.on_host();
  TensorView view = whole.view();
  const auto letters = split_axes(operand.axes);
  for (const auto& [letter, range] : slice) {
    if (std::find(letters.begin(), letters.end(), std::string(1, letter)) != letters.end())
      view = parity::slice(view, letter, range.first, range.second);
  }
  return convert(view, view.dtype);
}

/// Returns a fusion's axes with the letters of this call: "*" stands for all axes of `x` but the last.
std::string axes_of(const Call& call, const std::string& axes) {
  if (!axes.starts_with("*")) return axes;
  const std::string& x = call.inputs.front().axes;
  return x.substr(0, x.rfind(',')) + axes.substr(1);
}

/// Returns the nodes of the chain that a fusion replaces. Values between the nodes are taps of `plan`.
std::vector<Node> chain_of(const Call& call, const std::vector<FusedPart>& parts, Plan& plan) {
  std::vector<Node> nodes;
  std::map<std::string, std::string> made;  // names of taps, by the link between two parts
  const auto tap = [](const std::string& name) { return parity::Operand{parity::Operand::Kind::tap, name, {}}; };
  for (const FusedPart& part : parts) {
    Node node;
    node.component = part.component;
    node.prefix = fmt::format("{}/{}", call.component, nodes.size());
    node.params = part.fixed;
    for (const auto& [name, of_fusion] : part.params) node.params[name] = call.params.at(of_fusion);
    for (const auto& [field, source] : part.inputs) {
      const bool linked = source.name.find('.') != std::string::npos;
      if (!linked && !plan.taps.contains("in/" + source.name)) continue;  // an optional operand that is absent
      node.inputs[field] = {tap(linked ? made.at(source.name) : "in/" + source.name)};
      if (linked && !source.axes.starts_with("*")) node.inputs[field].front().axes = source.axes;
    }
    for (const auto& [field, target] : part.outputs) {
      const std::string link = fmt::format("{}.{}", nodes.size(), field);
      const std::string name = made[link] = target.name.empty() ? link : target.name;
      const std::string axes = axes_of(call, target.axes);
      if (target.name.empty()) plan.taps[name] = {axes, shape_of(axes, plan.sizes.at(0)), TapType::working};
      plan.taps.at(name).producer = static_cast<int>(nodes.size());
      node.outputs[field] = tap(name);
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// Returns the slice of a call as a case of the battery.
cases::DrawnCase case_of(const Call& call, const Slice& slice) {
  cases::DrawnCase made;
  made.spec = {call.component, call.working, cases::Lane::anywhere, 0, {}};
  const Profile& profile = profiles().front();
  made.plan.system = profile.system;
  made.plan.profile = profile.name;
  made.plan.rounding = profile.rounding;
  if (call.params.contains("normalise_first")) {
    for (const auto& [point, precision] : find_attention("sdpa").rounding) made.plan.rounding[point] = precision;
  }
  made.plan.working = call.working;
  made.plan.sizes[0] = call.sizes;
  for (const auto& [letter, range] : slice) made.plan.sizes[0][letter] = range.second;
  Node node;
  node.component = node.prefix = call.component;
  node.params = call.params;
  for (const CallOperand& operand : call.inputs) {
    const std::string tap = "in/" + operand.field;
    Tensor wide = widen(sliced(operand, slice));
    if (operand.type == TapType::wide) wide = convert(wide.view(), DType::f64);  // integers that stand for real numbers
    made.plan.taps[tap] = {operand.axes, wide.shape(), operand.type, -1};
    node.inputs[operand.field] = {{parity::Operand::Kind::tap, tap, {}}};
    made.taps[tap].exact = wide;
    made.taps[tap].rounded = wide;
  }
  for (const CallOperand& operand : call.outputs) {
    made.plan.taps[operand.field] = {operand.axes, sliced(operand, slice).shape(), operand.type, 0};
    node.outputs[operand.field] = {parity::Operand::Kind::tap, operand.field, {}};
  }
  for (const CallBank& bank : call.banks) {
    WeightInfo info;
    info.published = {bank.field + ".{}"};
    info.shape = bank.members.front().shape();
    info.members = static_cast<int64_t>(bank.members.size());
    made.plan.weights[bank.field] = info;
    node.inputs[bank.field] = {{parity::Operand::Kind::bank, bank.field, {}}};
    for (size_t e = 0; e < bank.members.size(); ++e)
      made.weights.add(fmt::format("{}.{}", bank.field, e), bank.members[e].on_host());
  }
  const auto parts = parts_of(call.component);
  if (parts.empty()) {
    made.plan.nodes.push_back(std::move(node));
  } else {
    made.plan.nodes = chain_of(call, parts, made.plan);
  }
  return made;
}

}  // namespace

DType Call::dtype_of(TapType type) const {
  Plan plan;
  plan.working = working;
  return plan.dtype_of(type);
}

void Call::input(const std::string& field, const std::string& axes, TapType type, Tensor tensor) {
  inputs.push_back({field, axes, type, at_place(tensor)});
}

Tensor Call::at_place(const Tensor& tensor) const {
  if (tensor.place().name() == place->name()) return tensor;
  const Tensor moved = Tensor::unwritten(tensor.dtype(), tensor.shape(), tensor.view().axes, *place);
  place->write(moved.view().data, tensor.view().data, static_cast<size_t>(tensor.bytes()));
  return moved;
}

Call Call::at(Place& other) const {
  Call moved = *this;
  moved.place = &other;
  for (auto* list : {&moved.inputs, &moved.outputs}) {
    for (CallOperand& operand : *list) operand.tensor = moved.at_place(operand.tensor);
  }
  for (CallBank& bank : moved.banks) {
    for (Tensor& member : bank.members) member = moved.at_place(member);
  }
  return moved;
}

void Call::values(const std::string& field, const std::string& axes, uint64_t seed, double scale, TapType type) {
  Tensor tensor = Tensor::unwritten(dtype_of(type), shape_of(axes, sizes), axes, drawn ? host() : *place);
  if (!drawn) return input(field, axes, type, std::move(tensor));
  fill(tensor, seed * 1000003ULL + std::hash<std::string>{}(component + "/" + field), static_cast<float>(scale));
  input(field, axes, type, std::move(tensor));
}

void Call::numbers(const std::string& field, const std::string& axes, TapType type,
                   const std::function<double(int64_t)>& value) {
  Tensor tensor(dtype_of(type), shape_of(axes, sizes), axes);
  for (int64_t i = 0, n = tensor.view().count(); i < n; ++i)
    store_element(tensor.dtype(), tensor.view().data + i * size_of(tensor.dtype()), value(i));
  input(field, axes, type, std::move(tensor));
}

void Call::ids(const std::string& field, const std::string& axes, const std::function<int64_t(int64_t)>& id) {
  Tensor tensor(DType::i64, shape_of(axes, sizes), axes);
  for (int64_t i = 0, n = tensor.view().count(); i < n; ++i) tensor.i64()[i] = id(i);
  input(field, axes, TapType::index, std::move(tensor));
}

void Call::output(const std::string& field, const std::string& axes, TapType type) {
  const DType dtype = is_integer(type) ? DType::i64 : dtype_of(type);
  Tensor tensor = place->is_host_memory() ? Tensor(dtype, shape_of(axes, sizes), axes)
                                          : Tensor::unwritten(dtype, shape_of(axes, sizes), axes, *place);
  outputs.push_back({field, axes, type, std::move(tensor)});
}

void Call::bank(const std::string& field, const std::string& axes, int64_t members, uint64_t seed, double scale) {
  CallBank made{field, axes, {}};
  for (int64_t e = 0; e < members; ++e) {
    made.members.push_back(Tensor::unwritten(working, shape_of(axes, sizes), axes));
    fill(made.members.back(), seed * 7919ULL + static_cast<uint64_t>(e), static_cast<float>(scale));
    made.members.back() = at_place(made.members.back());
  }
  banks.push_back(std::move(made));
}

Tensor Call::of(const std::string& field) const {
  for (const auto* list : {&inputs, &outputs}) {
    for (const CallOperand& operand : *list) {
      if (operand.field == field) return operand.tensor;
    }
  }
  throw Error(ErrorCode::internal, fmt::format("the kernel call of {} has no input or output '{}'", component, field));
}

namespace {

/// Returns "out is wrong at S=511: 3 of 6144 elements, the worst 2.4x the limit at [0, 17]: 0.5 instead of 0.25".
std::string text_of(const compare::Record& record, const Slice& slice) {
  std::string at;
  for (const auto& [letter, range] : slice)
    at += fmt::format("{}{}={}{}", at.empty() ? " at " : ", ", letter, range.first,
                      range.second == 1 ? "" : fmt::format("..{}", range.first + range.second - 1));
  if (!record.reason.empty()) return fmt::format("{} is wrong{}: {}", record.tap, at, record.reason);
  return fmt::format("{} is wrong{}: {} of {} elements, the worst {} at [{}]: {:g} instead of {:g}", record.tap, at,
                     record.failed, record.elements, reports::limit_text(record.budget_used),
                     fmt::join(record.worst.index, ", "), record.worst.got, record.worst.exact);
}

}  // namespace

std::optional<std::string> why_wrong(const Call& call, const ErasedKernel& kernel, const std::vector<Slice>& slices) {
  try {
    poison_outputs(call);
    Prepared(call, kernel).run();
    for (const Slice& slice : slices) {
      const cases::CaseKernel ran{[&](const cases::DrawnCase&, const replay::Evaluator&) {
                                    std::map<std::string, Tensor> outputs;
                                    for (const CallOperand& operand : call.outputs)
                                      outputs[operand.field] = sliced(operand, slice);
                                    return outputs;
                                  },
                                  true};
      for (const compare::Record& record : cases::judge_case(case_of(call, slice), ran)) {
        if (record.status != compare::Status::pass && record.status != compare::Status::mistrusted)
          return text_of(record, slice);
      }
    }
  } catch (const Error& error) {
    return error.what();
  }
  return std::nullopt;
}

}  // namespace parity::benches

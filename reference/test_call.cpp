// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/test_call.hpp"

#include <algorithm>

#include "reference/reference.hpp"

namespace parity::reference {
namespace {

void check_count(const Shape& shape, size_t given) {
  PARITY_CHECK(element_count(shape) == static_cast<int64_t>(given), internal, "{} values for shape {}", given,
               to_string(shape));
}

}  // namespace

Tensor TestBank::member(int64_t index) const {
  asked.push_back(index);
  return members_.at(static_cast<size_t>(index));
}

std::vector<double> TestOutputs::operator[](const std::string& field) const {
  const Tensor& tensor = tensors.at(field);
  PARITY_CHECK(tensor.dtype() == DType::f64, internal, "{} holds ids", field);
  return {tensor.f64(), tensor.f64() + tensor.view().count()};
}

double TestOutputs::only(const std::string& field) const {
  const auto values = (*this)[field];
  PARITY_CHECK(values.size() == 1, internal, "{} has {} elements", field, values.size());
  return values.front();
}

std::vector<int64_t> TestOutputs::ids(const std::string& field) const {
  const Tensor& tensor = tensors.at(field);
  PARITY_CHECK(tensor.dtype() == DType::i64, internal, "{} holds numbers", field);
  return {tensor.i64(), tensor.i64() + tensor.view().count()};
}

Tensor tensor_of(const Shape& shape, const std::vector<double>& values) {
  check_count(shape, values.size());
  Tensor result(DType::f64, shape);
  std::copy(values.begin(), values.end(), result.f64());
  return result;
}

Tensor tensor_of_ids(const Shape& shape, const std::vector<int64_t>& values) {
  check_count(shape, values.size());
  Tensor result(DType::i64, shape);
  std::copy(values.begin(), values.end(), result.i64());
  return result;
}

TestCall::TestCall(const std::string& component) : definition_(registry().component(component)) {}

TestCall& TestCall::in(const std::string& field, const Shape& shape, const std::vector<double>& values) {
  return operand(field, tensor_of(shape, values));
}

TestCall& TestCall::ids(const std::string& field, const Shape& shape, const std::vector<int64_t>& values) {
  return operand(field, tensor_of_ids(shape, values));
}

TestCall& TestCall::operand(const std::string& field, const Tensor& tensor) {
  static_cast<void>(definition_.input_index(field));  // throws for a field that does not exist
  owned_.push_back(tensor);
  views[field].push_back(tensor.view());
  return *this;
}

TestCall& TestCall::bank(const std::string& field, const Shape& shape,
                         const std::vector<std::vector<double>>& members) {
  std::vector<Tensor> tensors;
  for (const auto& member : members) tensors.push_back(tensor_of(shape, member));
  return bank(field, tensors);
}

TestCall& TestCall::bank(const std::string& field, const std::vector<Tensor>& members) {
  static_cast<void>(definition_.input_index(field));
  banks_[field] = std::make_shared<TestBank>(members);
  return *this;
}

TestCall& TestCall::param(const std::string& name, ParamValue value) {
  PARITY_CHECK(definition_.defaults.count(name) == 1, internal, "component {} has no parameter '{}'", definition_.name,
               name);
  params_[name] = value;
  return *this;
}

TestCall& TestCall::out(const std::string& field, const Shape& shape) {
  static_cast<void>(definition_.output_index(field));
  outputs_[field] = shape;
  return *this;
}

TestCall& TestCall::forget(const std::string& field) {
  views.erase(field);
  outputs_.erase(field);
  return *this;
}

KernelCall TestCall::call() const {
  KernelCall call(definition_);
  for (const auto& [field, list] : views) {
    for (const TensorView& view : list) call.input(field, view);
  }
  for (const auto& [field, bank] : banks_) call.bank(field, *bank);
  call.params = params_;
  for (const auto& [field, shape] : outputs_) {
    const auto index = static_cast<size_t>(definition_.output_index(field));
    call.output(field, {is_integer(definition_.outputs[index].judge) ? DType::i64 : DType::f64, shape});
  }
  return call;
}

std::string TestCall::operands_text() const {
  std::string text;
  for (const auto& [field, list] : views) {
    for (const TensorView& view : list)
      text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", field, to_string(view.dtype), to_string(view.shape));
  }
  return text;
}

TestOutputs TestCall::run(const std::string& variant, const Rounding& rounding, Poison poison) const {
  KernelCall call = this->call();
  call.rounding = rounding;
  call.bounded = variant == "bounded";
  const PlacedCall placed(call);
  placed.poison(poison);
  with_context(definition_.name + " of " + operands_text(),
               [&] { placed.run(registry().kernel(definition_.name, "reference", variant).run); });
  placed.require_guards();
  TestOutputs result;
  result.tensors = placed.outputs();
  for (const auto& [field, tensor] : result.tensors) {
    const PlacedCall::Bounds* bounds = placed.bounds(field);
    if (bounds == nullptr) continue;
    result.rounding[field] = bounds->rounding;
    result.noise[field] = bounds->noise;
  }
  return result;
}

}  // namespace parity::reference

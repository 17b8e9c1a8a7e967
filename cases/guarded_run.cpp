// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/guarded_run.hpp"

#include <cstring>

namespace parity::cases {
namespace {

Tensor guarded_copy(const TensorView& source) {
  Tensor result = Tensor::guarded(source.dtype, source.shape, source.axes);
  reference::copy_elements(source, result.view());
  return result;
}

void add_changed(GuardResult& result, const Named& original, const Tensor& now) {
  if (!now.guards_intact()) result = {GuardResult::State::broken, result.count + 1, "beside " + original.name};
  for (int64_t i = 0; i < now.view().count(); ++i) {
    if (bits_at(original.tensor, i) != bits_at(now, i)) GuardedRun::note(result, original.name, i);
  }
}

}  // namespace

uint64_t bits_at(const Tensor& tensor, int64_t i) {
  const auto width = static_cast<size_t>(size_of(tensor.dtype()));
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.view().data + i * static_cast<int64_t>(width), width);  // little-endian
  return bits;
}

uint64_t poison_of(Poison poison, DType dtype) {
  const bool first = poison == Poison::first;
  switch (dtype) {
    case DType::f64:
      return first ? 0x7FF8'0BAD'0BAD'0BADU : 0x40C8'1C80'0BAD'0BADU;
    case DType::f32:
      return first ? 0x7FA0'0BADU : 0x7E5C'0BADU;
    case DType::bf16:
      return first ? 0x7FADU : 0x7E5BU;
    default:
      return first ? 0x8000'0000'0BAD'0BADU : 0x0000'0000'0BAD'0BADU;
  }
}

CopiedBank::CopiedBank(const WeightBank& source) {
  for (int64_t i = 0; i < source.size(); ++i) members_.push_back(guarded_copy(source.member(i).view()));
}

GuardedRun::GuardedRun(const KernelCall& call, Poison poison, const Relaid* relaid, std::byte scratch)
    : call_(call), workspace_(std::make_shared<GuardedWorkspace>(scratch)) {
  copy_inputs(relaid);
  make_outputs(poison);
  context_.workspace = workspace_;
  call.run(inputs_, call.params, outputs_, context_);
  workspace_->retire();
}

GuardResult GuardedRun::differences(const GuardedRun& other) const {
  GuardResult result;
  for (size_t k = 0; k < written_.size(); ++k) {
    const int64_t count = written_[k].tensor.view().count();
    for (int64_t i = 0; i < count; ++i) {
      if (bits_at(written_[k].tensor, i) != bits_at(other.written_[k].tensor, i)) note(result, written_[k].name, i);
    }
  }
  return result;
}

void GuardedRun::note(GuardResult& result, const std::string& name, int64_t element) {
  result.state = GuardResult::State::broken;
  if (result.count++ == 0) result.detail = fmt::format("element {} of {}", element, name);
}

void GuardedRun::add_overruns(GuardResult& result) const {
  for (const Named& output : written_) {
    if (output.tensor.guards_intact()) continue;
    result = {GuardResult::State::broken, result.count + 1, "beside " + output.name};
  }
}

void GuardedRun::add_changed_inputs(GuardResult& result) const {
  for (size_t i = 0; i < kept_.size(); ++i) add_changed(result, kept_[i], copies_[i]);
  for (const auto& [before, after] : banks_) {
    for (int64_t i = 0; i < before.size(); ++i)
      add_changed(result, {fmt::format("member {} of a bank", i), before.member(i)}, after.member(i));
  }
}

void GuardedRun::copy_inputs(const Relaid* relaid) {
  inputs_ = call_.inputs;
  for (size_t index = 0; index < inputs_.size(); ++index) {
    const std::string& name = call_.definition->inputs[index].name;
    for (TensorView& view : inputs_[index].tensors) {
      kept_.push_back({name, convert(view, view.dtype)});
      copies_.push_back(guarded_copy(view));
      view = copies_.back().view();
      if (relaid != nullptr && relaid->input == index) view = relaid->layout->make(view, relaid_.emplace_back());
    }
    if (inputs_[index].bank == nullptr) continue;
    banks_.emplace_back(CopiedBank(*inputs_[index].bank), CopiedBank(*inputs_[index].bank));
    inputs_[index].bank = &banks_.back().second;
  }
}

Tensor GuardedRun::poisoned(const std::string& name, DType dtype, const Shape& shape, Poison poison) {
  const Tensor tensor = Tensor::guarded(dtype, shape);
  const uint64_t bits = poison_of(poison, dtype);
  const int64_t width = size_of(dtype);
  for (int64_t i = 0; i < tensor.view().count(); ++i)
    std::memcpy(tensor.view().data + i * width, &bits, static_cast<size_t>(width));
  return written_.emplace_back(Named{name, tensor, bits}).tensor;
}

void GuardedRun::make_outputs(Poison poison) {
  outputs_.resize(call_.definition->outputs.size());
  context_.rounding = call_.rounding;
  for (const auto& [field, shape] : call_.outputs) {
    const auto index = static_cast<size_t>(call_.definition->output_index(field));
    if (is_integer(call_.definition->outputs[index].judge)) {
      outputs_[index].tensors = {poisoned(field, DType::i64, shape, poison).view()};
      continue;
    }
    const auto held = call_.types.find(field);
    const Tensor values = poisoned(field, held == call_.types.end() ? DType::f64 : held->second, shape, poison);
    outputs_[index].tensors = {values.view()};
    if (!call_.bounded) continue;
    const Tensor rounding = poisoned(field + "'s rounding bound", DType::f64, shape, poison);
    const Tensor noise = poisoned(field + "'s noise bound", DType::f64, shape, poison);
    context_.bounds.push_back({values.view().data, rounding.f64(), noise.f64()});
  }
}

}  // namespace parity::cases

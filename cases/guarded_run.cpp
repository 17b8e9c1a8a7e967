// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/guarded_run.hpp"

#include <cstring>

namespace parity::cases {
namespace {

/// Returns the call with one input in another layout. `keep` owns the elements.
KernelCall relaid_call(const KernelCall& call, const Relaid& relaid, std::list<Tensor>& keep) {
  KernelCall result = call;
  for (TensorView& view : result.inputs[relaid.input].tensors) view = relaid.layout->make(view, keep.emplace_back());
  return result;
}

/// Returns how an input was changed by the kernel.
GuardResult changed(const PlacedCall::InputCopy& copy) {
  GuardResult result;
  if (!copy.memory.guards_intact()) result = {GuardResult::State::broken, 1, "beside " + copy.name};
  const Tensor memory = copy.memory.on_host();
  TensorView now = copy.view;
  now.data = memory.view().data + (copy.view.data - copy.memory.view().data);
  for (int64_t i = 0, count = now.count(); i < count; ++i) {
    if (bits_at(copy.before, i) != bits_at(now, i)) GuardedRun::note(result, copy.name, i);
  }
  return result;
}

void add(GuardResult& result, const GuardResult& more) {
  if (more.count == 0) return;
  result.state = GuardResult::State::broken;
  if (result.count == 0) result.detail = more.detail;
  result.count += more.count;
}

}  // namespace

uint64_t bits_at(const TensorView& tensor, int64_t i) {
  const int64_t width = size_of(tensor.dtype);
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.data + tensor.offset(i) * width, static_cast<size_t>(width));  // assumes little-endian
  return bits;
}

GuardedRun::GuardedRun(const GuardedKernel& kernel, Poison poison, const Relaid* relaid, std::byte scratch)
    : workspace_(std::make_shared<GuardedWorkspace>(scratch, kernel.place)) {
  std::list<Tensor> kept;
  const KernelCall call = relaid == nullptr ? kernel.call : relaid_call(kernel.call, *relaid, kept);
  const PlacedCall placed(call, kernel.place, PlacedCall::Inputs::copied, workspace_);
  placed.poison(poison);
  placed.run(kernel.run);
  workspace_->retire();
  for (const auto& [field, output] : placed.outputs()) {
    keep(field, output, poison);
    if (const PlacedCall::Bounds* bounds = placed.bounds(field); bounds != nullptr) {
      keep(field + "'s rounding bound", bounds->rounding, poison);
      keep(field + "'s noise bound", bounds->noise, poison);
    }
  }
  for (const PlacedCall::InputCopy& copy : placed.copies()) changed_.push_back(changed(copy));
}

void GuardedRun::keep(const std::string& name, const Tensor& tensor, Poison poison) {
  written_.push_back({name, tensor.on_host(), poison_bits(poison, tensor.dtype())});
  if (!tensor.guards_intact()) overruns_.push_back({GuardResult::State::broken, 1, "beside " + name});
}

GuardResult GuardedRun::differences(const GuardedRun& other) const {
  GuardResult result;
  for (size_t k = 0; k < written_.size(); ++k) {
    const TensorView &mine = written_[k].tensor.view(), &theirs = other.written_[k].tensor.view();
    for (int64_t i = 0, count = mine.count(); i < count; ++i) {
      if (bits_at(mine, i) != bits_at(theirs, i)) note(result, written_[k].name, i);
    }
  }
  return result;
}

void GuardedRun::note(GuardResult& result, const std::string& name, int64_t element) {
  result.state = GuardResult::State::broken;
  if (result.count++ == 0) result.detail = fmt::format("element {} of {}", element, name);
}

void GuardedRun::add_overruns(GuardResult& result) const {
  for (const GuardResult& overrun : overruns_) add(result, overrun);
}

void GuardedRun::add_changed_inputs(GuardResult& result) const {
  for (const GuardResult& change : changed_) add(result, change);
}

}  // namespace parity::cases

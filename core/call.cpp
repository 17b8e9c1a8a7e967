// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/call.hpp"

namespace parity {
namespace {

/// The bytes from the first element of the view to the last.
std::span<std::byte> span_of(const TensorView& view) {
  if (view.empty() || view.count() == 0) return {};
  const int64_t width = size_of(view.dtype);
  std::byte *first = view.data, *last = view.data;
  for (size_t axis = 0; axis < view.shape.size(); ++axis) {
    const int64_t reach = (view.shape[axis] - 1) * view.strides[axis] * width;
    (reach < 0 ? first : last) += reach;
  }
  return {first, last + width};
}

}  // namespace

// ---- what a kernel is given ---------------------------------------------------------------------------------------

Argument& KernelCall::argument(const std::string& field) {
  return inputs[static_cast<size_t>(definition->input_index(field))];
}

void KernelCall::input(const std::string& field, const TensorView& view) { argument(field).tensors.push_back(view); }

void KernelCall::input(const std::string& field, const Tensor& tensor) {
  input(field, kept_.emplace_back(tensor).view());
}

void KernelCall::bank(const std::string& field, const WeightBank& bank) { argument(field).bank = &bank; }

void KernelCall::bank(const std::string& field, std::vector<Tensor> members) {
  bank(field, *kept_banks_.emplace_back(std::make_shared<TensorBank>(std::move(members))));
}

void KernelCall::output(const std::string& field, OutputSpec spec) {
  static_cast<void>(definition->output_index(field));  // throws for a field that does not exist
  outputs[field] = std::move(spec);
}

// ---- calls at a place ---------------------------------------------------------------------------------------------

PlacedCall::PlacedCall(const KernelCall& call, Place& place, Inputs inputs, std::shared_ptr<Workspace> workspace)
    : call_(call), place_(place), workspace_(std::move(workspace)), arguments_in_(call.inputs) {
  place_inputs(inputs);
  make_outputs();
}

TensorView PlacedCall::placed(std::string name, const TensorView& view, const Tensor& keep) {
  Copied copy = copied_to(place_, view);
  copies_.push_back({std::move(name), view, keep, std::move(copy.memory), copy.view});
  return copies_.back().view;
}

const WeightBank& PlacedCall::placed_bank(const std::string& field, const WeightBank& bank) {
  std::vector<Tensor> members;
  for (int64_t i = 0; i < bank.size(); ++i) {
    const Tensor member = bank.member(i);
    static_cast<void>(placed(fmt::format("member {} of {}", i, field), member.view(), member));
    members.push_back(copies_.back().memory.reshaped(member.shape(), member.view().axes));
  }
  return banks_.emplace_back(std::move(members));
}

void PlacedCall::place_inputs(Inputs inputs) {
  if (inputs == Inputs::given || (inputs == Inputs::from_host && place_.is_host_memory())) return;
  for (size_t i = 0; i < arguments_in_.size(); ++i) {
    const std::string& field = call_.definition->inputs[i].name;
    for (TensorView& view : arguments_in_[i].tensors) {
      if (!view.empty()) view = placed(field, view, {});
    }
    if (arguments_in_[i].bank != nullptr) arguments_in_[i].bank = &placed_bank(field, *arguments_in_[i].bank);
  }
}

void PlacedCall::make_outputs() {
  arguments_out_.resize(call_.definition->outputs.size());
  for (const auto& [field, spec] : call_.outputs) {
    const auto index = static_cast<size_t>(call_.definition->output_index(field));
    const Tensor& output = outputs_[field] =
        spec.into.empty() ? Tensor::guarded(spec.type, spec.shape, spec.axes, place_) : spec.into;
    const TensorView seen = spec.seen_as.empty() ? output.view() : output.view().view_as(spec.seen_as, spec.sizes);
    arguments_out_[index].tensors = {seen};
    if (!call_.bounded || is_integer(call_.definition->outputs[index].judge)) continue;
    PARITY_CHECK(place_.is_host_memory(), internal,
                 "error bounds were requested for a call on {}, but only calls on the host compute them",
                 place_.name());
    const Bounds& bounds = bounds_[field] = {Tensor::guarded(DType::f64, spec.shape, spec.axes),
                                             Tensor::guarded(DType::f64, spec.shape, spec.axes)};
    slots_.push_back({output.view().data, bounds.rounding.f64(), bounds.noise.f64()});
  }
}

const PlacedCall::Bounds* PlacedCall::bounds(const std::string& field) const {
  const auto found = bounds_.find(field);
  return found == bounds_.end() ? nullptr : &found->second;
}

void PlacedCall::poison(Poison poison) const {
  for (const auto& [field, output] : outputs_) fill_with(poison, output);
  for (const auto& [field, bounds] : bounds_) {
    fill_with(poison, bounds.rounding);
    fill_with(poison, bounds.noise);
  }
}

void PlacedCall::run(const ErasedKernel& kernel) const {
  Context context;
  context.rounding = call_.rounding;
  context.bounds = slots_;
  context.inputs = call_.input_types;
  context.outputs = call_.output_types;
  context.place = &place_;
  context.workspace = workspace_ != nullptr ? workspace_ : std::make_shared<PlaceWorkspace>(place_);
  kernel(arguments_in_, call_.params, arguments_out_, context);
  place_.wait();
}

std::optional<std::string> PlacedCall::overrun() const {
  for (const auto& [field, output] : outputs_) {
    if (!output.guards_intact()) return field;
  }
  for (const auto& [field, bounds] : bounds_) {
    if (!bounds.rounding.guards_intact()) return field + "'s rounding bound";
    if (!bounds.noise.guards_intact()) return field + "'s noise bound";
  }
  return std::nullopt;
}

void PlacedCall::require_guards() const {
  const auto field = overrun();
  PARITY_CHECK(!field, internal, "the kernel of {} writes outside its output {}; fix the kernel",
               call_.definition->name, *field);
}

std::vector<std::span<std::byte>> PlacedCall::memory() const {
  std::vector<std::span<std::byte>> all;
  for (const Argument& argument : arguments_in_) {
    for (const TensorView& view : argument.tensors) all.push_back(span_of(view));
    const auto* bank = dynamic_cast<const TensorBank*>(argument.bank);
    if (bank == nullptr) continue;
    for (const Tensor& member : bank->members()) all.push_back(span_of(member.view()));
  }
  for (const auto& [field, output] : outputs_) all.push_back(span_of(output.view()));
  return all;
}

}  // namespace parity

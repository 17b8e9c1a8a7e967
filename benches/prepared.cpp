// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Repeated calls: marshalled once, with scratch memory that is kept, cold if asked for, and compared with the judged
// outputs.
#include <algorithm>

#include "benches/call.hpp"
#include "benches/chain.hpp"
#include "reference/reference.hpp"

namespace parity::benches {
namespace {

/// Returns the definition of a component or of a fusion.
const Definition& definition_of(const std::string& name) {
  return parts_of(name).empty() ? reference::registry().component(name) : bench_registry().component(name);
}

std::unique_ptr<KernelCall> kernel_call(const Call& call) {
  auto made = std::make_unique<KernelCall>(definition_of(call.component));
  made->params = call.params;
  for (const CallOperand& operand : call.inputs) made->input(operand.field, operand.tensor.view());
  for (const CallBank& bank : call.banks) made->bank(bank.field, bank.members);
  for (const CallOperand& operand : call.outputs) {
    const Tensor& tensor = operand.tensor;
    made->output(operand.field, {tensor.dtype(), tensor.shape(), operand.axes, {}, {}, tensor});
  }
  return made;
}

}  // namespace

Prepared::Prepared(const Call& call, ErasedKernel kernel)
    : place_(*call.place),
      kernel_(std::move(kernel)),
      memory_(std::make_shared<PlaceWorkspace>(place_)),
      workspace_(std::make_shared<KeptWorkspace>(*memory_)),
      call_(kernel_call(call)),
      placed_(std::make_unique<PlacedCall>(*call_, place_, PlacedCall::Inputs::given, workspace_)) {}

void Prepared::run() const {
  workspace_->rewind();
  placed_->run(kernel_);
}

std::vector<std::span<std::byte>> Prepared::memory() const {
  std::vector<std::span<std::byte>> all = placed_->memory();
  workspace_->for_each([&](std::byte* data, size_t bytes) { all.emplace_back(data, bytes); });
  return all;
}

int64_t Prepared::flush() const {
  ++flushes_;
  int64_t lines = 0;
  for (const std::span<std::byte> piece : memory()) lines += place_.flush(piece);
  return lines;
}

void poison_outputs(const Call& call) {
  for (const CallOperand& operand : call.outputs) fill_with(Poison::nan, operand.tensor);
}

JudgedOutputs::JudgedOutputs(const Call& call) : call_(call) {
  for (const CallOperand& operand : call.outputs) {
    const Tensor here = operand.tensor.on_host();
    bytes_.emplace_back(here.view().data, here.view().data + here.bytes());
  }
}

std::optional<std::string> JudgedOutputs::why_changed(const Prepared& timed) const {
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    poison_outputs(call_);
    timed.run();
    for (size_t i = 0; i < bytes_.size(); ++i) {
      const CallOperand& operand = call_.outputs[i];
      const Tensor here = operand.tensor.on_host();
      const auto at = std::mismatch(bytes_[i].begin(), bytes_[i].end(), here.view().data).first - bytes_[i].begin();
      if (at == operand.tensor.bytes()) continue;
      return fmt::format("{} differs from the judged run when the call is repeated: element {} of {}", operand.field,
                         at / size_of(operand.tensor.dtype()), operand.tensor.view().count());
    }
  }
  return std::nullopt;
}

}  // namespace parity::benches

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// KernelCall is one call of one kernel as data; PlacedCall is that call in the memory of a place, ready to run. Tests,
// batteries, guards, benches, replays and devices call kernels through these.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/poison.hpp"
#include "core/registry.hpp"

namespace parity {

/// A weight bank whose members are all in memory.
class TensorBank final : public WeightBank {
 public:
  explicit TensorBank(std::vector<Tensor> members) : members_(std::move(members)) {}
  [[nodiscard]] int64_t size() const override { return static_cast<int64_t>(members_.size()); }
  [[nodiscard]] Tensor member(int64_t index) const override { return members_.at(static_cast<size_t>(index)); }
  [[nodiscard]] const std::vector<Tensor>& members() const { return members_; }

 private:
  std::vector<Tensor> members_;
};

/// One output that the kernel has to write.
struct OutputSpec {
  DType type = DType::f64;
  Shape shape;
  std::string axes{};
  std::string seen_as{};  // axes under which the kernel writes it; empty: `axes`
  AxisSizes sizes{};      // extents of the letters in `axes` and `seen_as`
  Tensor into{};          // memory to write to, at the place; empty: a new tensor between guards
};

/// Operands, parameters and outputs of one call of a kernel. Memory behind operands that are views must outlive it.
struct KernelCall {
  const Definition* definition = nullptr;
  Arguments inputs{};  // in the order of the definition
  ParamMap params{};
  std::map<std::string, OutputSpec> outputs{};  // by field; the kernel does not write an output that is absent here
  Rounding rounding = Rounding::exact(DType::f64);
  std::vector<DType> input_types{}, output_types{};  // Context::inputs, outputs
  bool bounded = false;                              // the kernel writes error bounds too; only on the host

  explicit KernelCall(const Definition& of) : definition(&of), inputs(of.inputs.size()) {}

  /// Appends to the operand `field`; a second call makes it a list. Throws Error{internal} if there is no such field.
  void input(const std::string& field, const TensorView& view);
  void input(const std::string& field, const Tensor& tensor);  // keeps the tensor alive
  void bank(const std::string& field, const WeightBank& bank);
  void bank(const std::string& field, std::vector<Tensor> members);  // keeps the members alive
  void output(const std::string& field, OutputSpec spec);

 private:
  [[nodiscard]] Argument& argument(const std::string& field);

  std::list<Tensor> kept_;
  std::list<std::shared_ptr<const WeightBank>> kept_banks_;
};

/// A KernelCall with memory at a place: operands, outputs between guards, scratch memory. It can be run repeatedly.
class PlacedCall {
 public:
  enum class Inputs : uint8_t {
    from_host,  // on the host the operands themselves; at another place copies of them
    given,      // the operands are already in the memory of the place
    copied,     // copies, between guards, of operands in the host's memory; strides are kept
  };
  /// `call` must outlive this object. Without a workspace, every run gets a new one.
  explicit PlacedCall(const KernelCall& call, Place& place = host(), Inputs inputs = Inputs::from_host,
                      std::shared_ptr<Workspace> workspace = nullptr);
  explicit PlacedCall(const KernelCall&& call, Place& = host(), Inputs = Inputs::from_host,
                      std::shared_ptr<Workspace> = nullptr) = delete;
  PlacedCall(const PlacedCall&) = delete;  // arguments point into this object
  PlacedCall& operator=(const PlacedCall&) = delete;

  /// Fills all outputs and bounds with the poison.
  void poison(Poison poison) const;
  /// Runs the kernel and waits until the place has finished.
  void run(const ErasedKernel& kernel) const;

  /// The output in the memory of the place, as the kernel left it: contiguous, with the axes of its OutputSpec.
  [[nodiscard]] const Tensor& output(const std::string& field) const { return outputs_.at(field); }
  /// Error bounds of one output, element by element; bounds() returns nullptr for integer outputs.
  struct Bounds {
    Tensor rounding, noise;
  };
  [[nodiscard]] const Bounds* bounds(const std::string& field) const;
  [[nodiscard]] const std::map<std::string, Tensor>& outputs() const { return outputs_; }

  /// Name of the first output or bound whose guards were overwritten; nothing when all guards are intact.
  [[nodiscard]] std::optional<std::string> overrun() const;
  /// Throws Error{internal}, which names that output, when overrun() finds one.
  void require_guards() const;

  /// The copy of one operand, or of one member of a bank, in the memory of the place.
  struct InputCopy {
    std::string name;
    TensorView before;
    Tensor keep;  // the member of a bank, which owns the elements of `before`; else empty
    Tensor memory;
    TensorView view;
  };
  [[nodiscard]] const std::list<InputCopy>& copies() const { return copies_; }
  /// Memory that the kernel reads or writes: inputs, outputs and members of banks. A view counts from its first to its
  /// last element. A bank other than a TensorBank is left out, because its members are made on demand.
  [[nodiscard]] std::vector<std::span<std::byte>> memory() const;

 private:
  void place_inputs(Inputs inputs);
  const WeightBank& placed_bank(const std::string& field, const WeightBank& bank);
  TensorView placed(std::string name, const TensorView& view, const Tensor& keep);
  void make_outputs();

  const KernelCall& call_;
  Place& place_;
  std::shared_ptr<Workspace> workspace_;
  Arguments arguments_in_, arguments_out_;
  std::map<std::string, Tensor> outputs_;
  std::map<std::string, Bounds> bounds_;
  std::vector<BoundSlot> slots_;
  std::list<InputCopy> copies_;
  std::list<TensorBank> banks_;
};

}  // namespace parity

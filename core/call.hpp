// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One call of one kernel: what it is given, and the same at a place, ready to run. Tests, batteries, guards, benches, replays
// and devices call kernels through this.
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

/// Members in memory.
class TensorBank final : public WeightBank {
 public:
  explicit TensorBank(std::vector<Tensor> members) : members_(std::move(members)) {}
  [[nodiscard]] int64_t size() const override { return static_cast<int64_t>(members_.size()); }
  [[nodiscard]] Tensor member(int64_t index) const override { return members_.at(static_cast<size_t>(index)); }
  [[nodiscard]] const std::vector<Tensor>& members() const { return members_; }

 private:
  std::vector<Tensor> members_;
};

/// An output that is asked for.
struct OutputSpec {
  DType type = DType::f64;
  Shape shape;
  std::string axes{};
  std::string seen_as{};  // axes under which the kernel writes it; empty: `axes`
  AxisSizes sizes{};      // of these
  Tensor into{};          // at the place; empty: a new one between guards
};

/// What a kernel is given. Operands that are views must outlive it.
struct KernelCall {
  const Definition* definition = nullptr;
  Arguments inputs{};  // in the order of the definition
  ParamMap params{};
  std::map<std::string, OutputSpec> outputs{};  // by field; an absent one is not asked for
  Rounding rounding = Rounding::exact(DType::f64);
  std::vector<DType> input_types{}, output_types{};  // Context::inputs, outputs
  bool bounded = false;                              // writes bounds too; on the host only

  explicit KernelCall(const Definition& of) : definition(&of), inputs(of.inputs.size()) {}

  /// Appended: a field that is given again is a list. Error{internal} for a field that the component lacks.
  void input(const std::string& field, const TensorView& view);
  void input(const std::string& field, const Tensor& tensor);  // kept alive
  void bank(const std::string& field, const WeightBank& bank);
  void bank(const std::string& field, std::vector<Tensor> members);  // kept alive
  void output(const std::string& field, OutputSpec spec);

 private:
  [[nodiscard]] Argument& argument(const std::string& field);

  std::list<Tensor> kept_;
  std::list<std::shared_ptr<const WeightBank>> kept_banks_;
};

/// A call at a place: operands there, outputs between guards and poisoned, scratch memory. Can be run again and again.
class PlacedCall {
 public:
  enum class Inputs : uint8_t {
    from_host,  // on the host the operands themselves, at another place copies of them
    given,      // they lie at the place
    copied,     // copies between guards of operands that the host has; strides are kept
  };
  /// `call` must outlive it. Without a workspace, every run gets a new one.
  explicit PlacedCall(const KernelCall& call, Place& place = host(), Inputs inputs = Inputs::from_host,
                      std::shared_ptr<Workspace> workspace = nullptr);
  explicit PlacedCall(const KernelCall&& call, Place& = host(), Inputs = Inputs::from_host,
                      std::shared_ptr<Workspace> = nullptr) = delete;
  PlacedCall(const PlacedCall&) = delete;  // arguments point into it
  PlacedCall& operator=(const PlacedCall&) = delete;

  /// Of the outputs and bounds.
  void poison(Poison poison) const;
  /// And waits until it is done.
  void run(const ErasedKernel& kernel) const;

  /// As the kernel left it, at the place; contiguous, under the axes of its OutputSpec.
  [[nodiscard]] const Tensor& output(const std::string& field) const { return outputs_.at(field); }
  /// Bounds of an output; nullptr for ids.
  struct Bounds {
    Tensor rounding, noise;
  };
  [[nodiscard]] const Bounds* bounds(const std::string& field) const;
  [[nodiscard]] const std::map<std::string, Tensor>& outputs() const { return outputs_; }

  /// The first output or bound beside which something was written.
  [[nodiscard]] std::optional<std::string> overrun() const;
  /// Error{internal} naming it.
  void require_guards() const;

  /// Copies of inputs and of members of banks: what they are called, as they were, as they are at the place.
  struct InputCopy {
    std::string name;
    TensorView before;
    Tensor keep;  // what `before` shows, where nobody else holds it
    Tensor memory;
    TensorView view;
  };
  [[nodiscard]] const std::list<InputCopy>& copies() const { return copies_; }
  /// Memory of inputs, outputs and banks that the kernel may touch; of views the span from first to last element. A bank
  /// that makes its members when they are asked for has none.
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

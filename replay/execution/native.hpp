// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Native kernels, and calls of a plan's nodes with them: every operand has its own type.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "core/registry.hpp"
#include "replay/execution/residents.hpp"
#include "replay/runs/evaluator.hpp"

namespace parity::replay {

/// The kernels of one backend and working type, by the component or fusion that they compute.
struct KernelTable {
  struct Entry {
    Definition definition;
    ErasedKernel run;
    PlaceOf place = &on_host;
  };
  std::map<std::string, Entry> kernels;
  std::set<std::string> rounds_freely;  // kernels that need not round where the oracle does

  [[nodiscard]] const Entry* find(const std::string& component) const;
};

/// Returns the kernels of a backend's variant. Empty if it has none.
[[nodiscard]] KernelTable kernel_table(const Registry& kernels, const std::string& backend, const std::string& variant);

/// Returns the type of a tap between kernels. Ids, flags and bytes are i64.
[[nodiscard]] DType held_type(const Plan& plan, const std::string& tap);
[[nodiscard]] Tensor held_value(const Plan& plan, const std::string& tap, const Tensor& value);

/// Parameters in the types of the plan, at the places of kernels. Each is converted and copied once, as long as there is
/// memory for it.
class NativeParameters {
 public:
  /// `wide` must outlive the object.
  NativeParameters(const Parameters& wide, std::shared_ptr<Residents> residents);
  ~NativeParameters();

  [[nodiscard]] Tensor tensor(const std::string& weight, DType type, Place& place) const;
  /// A bank in the host's memory, whose members are made on demand.
  [[nodiscard]] const WeightBank& bank(const std::string& weight, DType type) const;
  /// All members of a bank at a place that the host cannot touch.
  [[nodiscard]] std::vector<Tensor> members(const std::string& weight, DType type, Place& place) const;

 private:
  class Bank;
  /// Returns the result of `make`, and stores it under `name` while there is memory.
  [[nodiscard]] Tensor kept(const std::string& name, const std::function<Tensor()>& make) const;
  /// Returns the result of `make` at the place.
  [[nodiscard]] Tensor resident(Place& place, const std::string& name, int64_t bytes,
                                const std::function<Tensor()>& make) const;

  const Parameters& wide_;
  std::shared_ptr<Residents> residents_;
  mutable std::mutex mutex_;  // several threads of a kernel may read the members of a bank
  mutable std::map<std::string, Tensor> tensors_;
  mutable std::map<std::string, std::unique_ptr<Bank>> banks_;
  mutable int64_t bytes_ = 0;
};

/// Calls native kernels for the nodes of a plan, each at the place of its rank.
class NativeCalls {
 public:
  /// `evaluator` must outlive the object.
  NativeCalls(const Evaluator& evaluator, std::shared_ptr<Residents> residents)
      : evaluator_(evaluator), parameters_(evaluator.parameters(), std::move(residents)) {}

  /// Returns the outputs by tap from the inputs in `taps`, at the kernel's place; optional ones only if `wanted`. They
  /// start as NaN or an invalid id between guard bytes; Error{internal} if the kernel writes outside. `forced` (or
  /// nullptr): that input. Adds the copies of taps to `moved`.
  [[nodiscard]] Values run(const Node& node, const KernelTable::Entry& kernel, const Values& taps,
                           const std::function<bool(const std::string&)>& wanted, const Tensor* forced,
                           Moved& moved) const;

 private:
  /// Where a call runs, and what it keeps alive.
  struct Site {
    Place& place;
    Moved& moved;
    std::vector<Tensor> copies{};  // operands that no view can represent
  };
  static TensorView operand_at(const Value& value, const std::string& axes, const AxisSizes& sizes, Site& site);
  void give_inputs(KernelCall& call, const Node& node, const Values& taps, Site& site) const;

  const Evaluator& evaluator_;
  NativeParameters parameters_;
};

}  // namespace parity::replay

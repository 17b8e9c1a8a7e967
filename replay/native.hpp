// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Kernels of native types, and the calls of a plan's nodes with them: every operand in its own type.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "core/registry.hpp"
#include "replay/evaluator.hpp"

namespace parity::replay {

/// The kernels of one backend and working type, by the component (or fusion) that they compute.
struct KernelTable {
  struct Entry {
    Definition definition;
    ErasedKernel run;
    PlaceOf place = &on_host;
  };
  std::map<std::string, Entry> kernels;
  std::set<std::string> rounds_freely;  // of them: need not round where the oracle does

  [[nodiscard]] const Entry* find(const std::string& component) const;
};

/// Empty when the backend has none of this variant.
[[nodiscard]] KernelTable kernel_table(const Registry& kernels, const std::string& backend, const std::string& variant);

using Values = std::map<std::string, Tensor>;  // by tap

/// Between kernels a tap is held in its own type; ids, flags and bytes as i64.
[[nodiscard]] DType held_type(const Plan& plan, const std::string& tap);
[[nodiscard]] Tensor held_value(const Plan& plan, const std::string& tap, const Tensor& value);

/// Parameters in the types that the plan holds them in, each converted once while they are few enough to be kept.
class NativeParameters {
 public:
  /// `wide` must outlive it.
  explicit NativeParameters(const Parameters& wide);
  ~NativeParameters();

  [[nodiscard]] Tensor tensor(const std::string& weight, DType type) const;
  [[nodiscard]] const WeightBank& bank(const std::string& weight, DType type) const;

 private:
  class Bank;
  /// What `make` gives, kept under `name` while there is room.
  [[nodiscard]] Tensor kept(const std::string& name, const std::function<Tensor()>& make) const;

  const Parameters& wide_;
  mutable std::mutex mutex_;  // kernels read the members of a bank from several threads
  mutable std::map<std::string, Tensor> tensors_;
  mutable std::map<std::string, std::unique_ptr<Bank>> banks_;
  mutable int64_t bytes_ = 0;
};

/// Calls native kernels for the nodes of a plan, each at the place of its rank.
class NativeCalls {
 public:
  /// `evaluator` must outlive it.
  explicit NativeCalls(const Evaluator& evaluator) : evaluator_(evaluator), parameters_(evaluator.parameters()) {}

  /// Outputs by tap, of the node's inputs in `taps`; optional ones only if `wanted`. They start as NaN (or an absurd id)
  /// between guards. Error{internal} when the kernel writes beside one. `forced` may be absent: the input of that name.
  [[nodiscard]] Values run(const Node& node, const KernelTable::Entry& kernel, const Values& taps,
                           const std::function<bool(const std::string&)>& wanted, const Tensor* forced) const;

 private:
  /// `copies` own operands that no view can show.
  void give_inputs(KernelCall& call, const Node& node, const Values& taps, std::vector<Tensor>& copies) const;

  const Evaluator& evaluator_;
  NativeParameters parameters_;
};

}  // namespace parity::replay
